/** Height of a row in px, that of the stylesheet. */
export const rowHeight = 52;
/** Rows of an element: browsers clamp its height, Firefox to the least, 17,895,697 px. */
export const windowRows = 300_000;
/** Rows from an end of the element at which the window moves. */
const edge = 1000;
/** Rows in one scroll event from which on it is one of the scroll bar. A pixel of that is more, a turn of the wheel less. */
const jump = 200;

interface Place {
  /** The row at the top of the element. Others are not in the element if the list is longer than it. */
  shift: number;
  /** The top of the browser's window, in rows from the top of the element. */
  at: number;
  /** Whether the reader is moving the scroll bar, or a key makes it move: its last steps are short. */
  isJump: boolean;
}

/**
 * Which rows of a long list the element stands for after the reader has scrolled: the scroll bar reaches all rows of the list, and
 * the wheel and the keys move by as much as they do in a short one.
 *
 * @param at where the element is now
 * @param visible rows in the browser's window
 * @returns the place, and by how many rows to scroll so that none moves under the reader
 */
export function moveWindow(
  former: Place,
  at: number,
  visible: number,
  count: number,
): Place & { by: number } {
  const shiftMax = Math.max(0, count - windowRows);
  const within = (shift: number) => Math.min(shiftMax, Math.max(0, Math.round(shift)));
  if (shiftMax > 0 && (former.isJump || Math.abs(at - former.at) > jump)) {
    const share = Math.min(1, Math.max(0, at / (windowRows - visible)));
    return { shift: within(share * shiftMax), at, isJump: true, by: 0 };
  }
  const isAtEdge = at < edge || at > windowRows - visible - edge;
  const shift = within(isAtEdge ? former.shift + at - windowRows / 2 : former.shift);
  const by = former.shift - shift;
  return { shift, at: at + by, isJump: false, by };
}

/** The place in which a row is in the element. */
export const shiftFor = (index: number, former: number, count: number): number =>
  index >= former && index < former + windowRows
    ? former
    : Math.max(0, Math.min(count - windowRows, index - windowRows / 2));
