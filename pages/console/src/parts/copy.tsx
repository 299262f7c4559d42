import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.js';

interface CopyProps {
  text: string;
  /** What is copied: "ID", "command". */
  what: string;
  /** Whether the name stands beside the icon. */
  isWide?: boolean;
}

/** Copies a text, and says so for a moment. */
export function Copy({ text, what, isWide }: CopyProps) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const timer = isDone && setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer || undefined);
  }, [isDone]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setDone(true));
  const Icon = isDone ? Check : CopyIcon;
  const label = isDone ? 'Copied' : `Copy ${what}`;
  const icon = <Icon size={16} aria-hidden />;
  return isWide ? (
    <Button icon={icon} onClick={copy}>
      {label}
    </Button>
  ) : (
    <IconButton label={label} icon={icon} onClick={copy} />
  );
}
