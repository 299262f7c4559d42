import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
import { KeyForm } from './key-form.js';
import { session } from './session.js';

/** Above the screens, which keep what was typed. */
export const SignInAgain = ({ why }: { why: string }) => (
  <Dialog title="Sign in again" onClose={() => session.dismissSignIn()}>
    <section>
      <Notice kind="warn">{why}</Notice>
      <KeyForm />
    </section>
  </Dialog>
);
