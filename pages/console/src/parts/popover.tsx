import { useId, useRef, useState, type ReactNode, type ToggleEvent } from 'react';
import { Button } from './button.js';
import styles from './popover.module.css';

interface PopoverProps {
  label: string;
  icon?: ReactNode;
  /** Only the icon is shown on the button. */
  isIconOnly?: boolean;
  children: ReactNode | ((close: () => void) => ReactNode);
}

const gapPx = 6;

/** A button that opens a small panel below it. Esc and a click elsewhere close it. */
export function Popover({ label, icon, isIconOnly, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLSpanElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = () => {
    const { bottom, left, right } = button.current!.getBoundingClientRect();
    const { style, offsetWidth } = panel.current!;
    const start = left + offsetWidth > window.innerWidth - gapPx ? right - offsetWidth : left;
    style.top = `${bottom + gapPx}px`;
    style.left = `${Math.max(gapPx, start)}px`;
    style.maxHeight = `${window.innerHeight - bottom - 3 * gapPx}px`;
  };
  return (
    <>
      <span ref={button}>
        <Button
          icon={icon}
          popoverTarget={id}
          aria-expanded={isOpen}
          {...(isIconOnly && { 'aria-label': label, title: label })}
        >
          {isIconOnly ? undefined : label}
        </Button>
      </span>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={styles.popover}
        onToggle={({ newState }: ToggleEvent) => {
          setOpen(newState === 'open');
          if (newState === 'open')
            requestAnimationFrame(() => {
              place();
              panel.current?.querySelector<HTMLElement>('input, select, button')?.focus();
            });
        }}
      >
        {isOpen &&
          (typeof children === 'function'
            ? children(() => panel.current?.hidePopover())
            : children)}
      </div>
    </>
  );
}
