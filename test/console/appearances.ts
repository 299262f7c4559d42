import { accessibilityFindings } from '@roster/testing/browser';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';

/** What is open above a screen. */
export const above = 'dialog[open], [popover]:popover-open';

/** Resolves when what has changed is painted. */
export const nextFrames =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/**
 * Checks what is open at both widths, light and dark: no finding of axe, and nothing wider than its place. Leaves the page wide and
 * light.
 *
 * @param within selector of one element
 */
export async function checkAppearances(
  t: ExecutionContext,
  page: Page,
  name: string,
  within = 'html',
): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 820 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Colours change in a transition, however short.
      await page.evaluate(nextFrames);
      const findings = await accessibilityFindings(page, undefined, within);
      t.deepEqual(findings, [], `${name} at ${width} px, ${colorScheme}`);
    }
    const { scrollWidth, clientWidth } = await page.evaluate<{
      scrollWidth: number;
      clientWidth: number;
    }>(
      `(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.querySelector('${within}'))`,
    );
    t.true(scrollWidth <= clientWidth, `${name} at ${width} px: ${scrollWidth} px`);
  }
  await page.setViewportSize({ width: 1280, height: 820 });
  await page.emulateMedia({ colorScheme: 'light' });
}
