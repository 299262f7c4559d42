import type { Locator, Page } from 'playwright-core';

const stepsMax = 120;

/** Presses Tab, or another key, until an element has the focus, as a reader without a mouse does. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let step = 0; step < stepsMax; step += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${String(target)}`);
}

/** Presses Tab until an element has the focus, then a key. */
export async function tabAndPress(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Replaces the content of a field that Tab leads to. */
export async function tabAndType(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** The keys that open a screen: `g`, then another one. */
export async function goTo(page: Page, key: string, title: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}
