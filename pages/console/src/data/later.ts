const waiting = new Set<() => void>();

/**
 * Does something a little later, so that it can be undone until then. It is done at once when the page is left. If the browser ends
 * without that, it is not done: nothing is lost.
 *
 * @param run told whether the page is being left
 * @returns what undoes it
 */
export function later(run: (isLeaving: boolean) => void, ms: number): () => void {
  const cancel = () => {
    waiting.delete(leave);
    clearTimeout(timer);
  };
  const leave = () => {
    cancel();
    run(true);
  };
  const timer = setTimeout(() => {
    cancel();
    run(false);
  }, ms);
  waiting.add(leave);
  return cancel;
}

window.addEventListener('pagehide', () => {
  for (const leave of waiting) leave();
});
