import { ArrowUp } from 'lucide-react';
import { Button } from './button.js';
import styles from './news.module.css';

/** What arrived above the list, which does not move until the reader asks for it. */
export const News = ({ text, onShow }: { text: string; onShow: () => void }) => (
  <div className={styles.news} role="status">
    <Button
      icon={<ArrowUp size={16} aria-hidden />}
      onClick={() => {
        window.scrollTo(0, 0);
        onShow();
      }}
    >
      {text}
    </Button>
  </div>
);
