import { Copy } from './copy.js';
import styles from './code-block.module.css';

interface CodeBlockProps {
  /** What it is: "Request body". */
  label: string;
  text: string;
  /** What is copied, if it differs from what is shown. */
  copied?: string;
}

/** A text of fixed width, of bounded height, that can be scrolled and copied. */
export const CodeBlock = ({ label, text, copied = text }: CodeBlockProps) => (
  <div className={styles.block}>
    <pre tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
    <div className={styles.copy}>
      <Copy text={copied} what={label.toLowerCase()} />
    </div>
  </div>
);

/** More is not laid out: a receiver may answer with anything. */
const shownMax = 20_000;

/** JSON with indentation; another text as it is. */
export function formatted(text: string): string {
  try {
    return bounded(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return bounded(text);
  }
}

const bounded = (text: string): string =>
  text.length > shownMax ? `${text.slice(0, shownMax)}\n…` : text;
