/** The sign of Roster: a list with one entry that is addressed. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" aria-hidden>
      <rect width="28" height="28" rx="7" fill="var(--accent)" />
      <g stroke="#fff" strokeWidth="2.4" strokeLinecap="round" fill="none">
        <path d="M7.5 8.5h13M7.5 14h6M7.5 19.5h6" />
        <path d="m17 16.5 3.5 3-3.5 3" strokeLinejoin="round" />
      </g>
    </svg>
  );
}
