import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import styles from './hours.module.css';
import { counted, duration, percent } from './number.js';

export interface Hour {
  /** Start of the hour, in milliseconds since the epoch. */
  start: number;
  succeeded: number;
  failed: number;
  p95Ms: number | undefined;
}

const hourFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});

const total = ({ succeeded, failed }: Hour): number => succeeded + failed;
const most = (hours: readonly Hour[]): number => Math.max(1, ...hours.map(total));

/** The last hours as small bars over an axis of time. Their sum is the name that is read aloud. */
export function HourBars({ hours }: { hours: readonly Hour[] }) {
  const [width, height, step] = [192, 30, 192 / hours.length];
  const max = most(hours);
  const { length } = hours;
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${width} ${height + 14}`}
      width={width}
      height={height + 14}
      role="img"
      aria-label={summaryOf(hours)}
    >
      {hours.map((hour, at) => (
        <Bar key={hour.start} hour={hour} x={at * step} width={step} height={height} max={max} />
      ))}
      <path d={`M0 ${height + 0.5}H${width}`} className={styles.axis} />
      <text x={0} y={height + 12}>
        −{length} h
      </text>
      <text x={width / 2} y={height + 12} textAnchor="middle">
        −{length / 2} h
      </text>
      <text x={width} y={height + 12} textAnchor="end">
        now
      </text>
    </svg>
  );
}

interface BarProps {
  hour: Hour;
  x: number;
  width: number;
  height: number;
  max: number;
}

/** Failed attempts stand at the bottom, where they can be compared, and are never too small to see. */
function Bar({ hour, x, width, height, max }: BarProps) {
  if (total(hour) === 0) return null;
  const gap = Math.min(2, width / 4);
  const scaled = (count: number) => (count === 0 ? 0 : Math.max(2, (count / max) * (height - 1)));
  const failed = scaled(hour.failed);
  const succeeded = scaled(hour.succeeded);
  const common = { x: x + gap / 2, width: width - gap, rx: Math.min(1.5, width / 4) };
  return (
    <>
      {succeeded > 0 && (
        <rect
          {...common}
          y={Math.max(0, height - failed - succeeded - (failed ? 1 : 0))}
          height={succeeded}
          className={styles.good}
        />
      )}
      {failed > 0 && (
        <rect {...common} y={height - failed} height={failed} className={styles.bad} />
      )}
    </>
  );
}

/** Space for the numbers of the axes. */
const [left, bottom, plotHeight] = [40, 22, 132];

/** Attempts per hour with axes. The values of an hour are shown under the pointer, and with the arrow keys. */
export function HourChart({ hours }: { hours: readonly Hour[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [boxWidth, setWidth] = useState(0);
  const [current, setCurrent] = useState<number>();
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const width = Math.max(0, boxWidth - left);
  const step = width / hours.length;
  const max = niceMax(most(hours));
  const shown = current === undefined ? undefined : hours[current];
  const onKeyDown = (press: KeyboardEvent) => {
    const last = hours.length - 1;
    const to = {
      ArrowLeft: Math.max(0, (current ?? last + 1) - 1),
      ArrowRight: Math.min(last, (current ?? last - 1) + 1),
      Home: 0,
      End: last,
    }[press.key];
    if (to === undefined) return;
    press.preventDefault();
    setCurrent(to);
  };
  return (
    <div
      ref={box}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={`Attempts per hour. ${summaryOf(hours)}`}
      aria-valuemin={1}
      aria-valuemax={hours.length}
      aria-valuenow={(current ?? hours.length - 1) + 1}
      aria-valuetext={wordsOf(shown ?? hours.at(-1)!)}
      onKeyDown={onKeyDown}
      onFocus={() => setCurrent((now) => now ?? hours.length - 1)}
      onBlur={() => setCurrent(undefined)}
      onPointerMove={({ clientX }) => {
        const x = clientX - box.current!.getBoundingClientRect().left - left;
        setCurrent(
          x < 0 ? undefined : Math.min(hours.length - 1, Math.max(0, Math.floor(x / step))),
        );
      }}
      onPointerLeave={() => setCurrent(undefined)}
    >
      <svg width={boxWidth} height={plotHeight + bottom} aria-hidden>
        {[0, 0.5, 1].map((share) => {
          const y = Math.round(plotHeight - share * (plotHeight - 12)) + 0.5;
          return (
            <g key={share}>
              <path d={`M${left} ${y}H${boxWidth}`} className={styles.axis} />
              {(share !== 0.5 || max % 2 === 0) && (
                <text x={left - 8} y={y + 4} textAnchor="end">
                  {compact.format(max * share)}
                </text>
              )}
            </g>
          );
        })}
        <g transform={`translate(${left} 0)`}>
          {current !== undefined && (
            <rect
              x={current * step}
              width={Math.max(step, 2)}
              y={0}
              height={plotHeight}
              className={styles.current}
            />
          )}
          <g transform="translate(0 12)">
            {hours.map((hour, at) => (
              <Bar
                key={hour.start}
                hour={hour}
                x={at * step}
                width={step}
                height={plotHeight - 12}
                max={max}
              />
            ))}
          </g>
          {ticksOf(hours, width).map(({ at, label }) => (
            <g key={at}>
              <path d={`M${at * step + 0.5} ${plotHeight}v4`} className={styles.axis} />
              <text x={at * step} y={plotHeight + 17}>
                {label}
              </text>
            </g>
          ))}
        </g>
      </svg>
      {shown && (
        <div
          className={styles.values}
          style={
            current! < hours.length / 2
              ? { left: left + (current! + 1) * step + 8 }
              : { right: width - current! * step + 8 }
          }
        >
          <strong>{dayHour(shown)}</strong>
          <span>{counted(total(shown), 'attempt')}</span>
          {total(shown) > 0 && (
            <>
              <span data-kind="good">{shown.succeeded.toLocaleString()} succeeded</span>
              <span data-kind={shown.failed > 0 ? 'bad' : undefined}>
                {shown.failed.toLocaleString()} failed
              </span>
              {shown.p95Ms !== undefined && <span>p95 {duration(shown.p95Ms)}</span>}
            </>
          )}
        </div>
      )}
    </div>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** 1, 2, 4, 6, 8, 10, 20, 40, …: half of it is a number one reads easily. */
function niceMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value)!;
  return step * power;
}

/** Days, or every six hours of a day; as many as fit. */
function ticksOf(hours: readonly Hour[], width: number) {
  const isDay = hours.length <= 24;
  const candidates = hours
    .map(({ start }, at) => ({ at, date: new Date(start) }))
    .filter(({ date }) => date.getHours() % (isDay ? 6 : 24) === 0);
  const every = Math.max(1, Math.ceil((candidates.length * (isDay ? 64 : 84)) / width));
  return candidates
    .filter((_, index) => index % every === 0)
    .map(({ at, date }) => ({
      at,
      // One that would be cut at the end has only its line.
      label:
        (at / hours.length) * width > width - 60
          ? ''
          : isDay && date.getHours() !== 0
            ? hourFormat.format(date)
            : dayFormat.format(date),
    }));
}

const dayHour = ({ start }: Hour): string =>
  `${dayFormat.format(start)}, ${hourFormat.format(start)}–${hourFormat.format(start + 3_600_000)}`;

const wordsOf = (hour: Hour): string =>
  [
    dayHour(hour),
    counted(total(hour), 'attempt'),
    total(hour) > 0 && `${hour.succeeded} succeeded, ${hour.failed} failed`,
    hour.p95Ms !== undefined && `p95 ${duration(hour.p95Ms)}`,
  ]
    .filter(Boolean)
    .join(': ');

function summaryOf(hours: readonly Hour[]): string {
  const succeeded = hours.reduce((sum, one) => sum + one.succeeded, 0);
  const attempts = hours.reduce((sum, one) => sum + total(one), 0);
  const period = `In the last ${hours.length} hours`;
  if (attempts === 0) return `${period}, no attempts.`;
  const worst = hours.toSorted((a, b) => b.failed - a.failed)[0]!;
  return `${period}, ${counted(attempts, 'attempt')}: ${percent(succeeded, attempts)} succeeded.${
    worst.failed > 0 ? ` Most failed at ${dayHour(worst)}: ${worst.failed}.` : ''
  }`;
}
