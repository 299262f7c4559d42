import { useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog, DialogButtons } from './dialog.js';
import { Notice } from './notice.js';

interface ConfirmProps {
  title: string;
  /** What happens, and whether it can be undone. */
  children: ReactNode;
  /** The verb and the thing: "Delete webhook". */
  action: string;
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before an act that cannot be undone. A refusal is shown, and the dialog stays open. */
export function Confirm({ title, children, action, run, onClose }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
      onClose();
    } catch (error) {
      setFailure((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <section>
        <div>{children}</div>
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          <Button onClick={onClose} autoFocus>
            Cancel
          </Button>
          <Button kind="danger" busy={isBusy} onClick={() => void confirm()}>
            {action}
          </Button>
        </DialogButtons>
      </section>
    </Dialog>
  );
}
