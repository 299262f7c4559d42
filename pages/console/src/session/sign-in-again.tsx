import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
import { useEffect } from 'react';
import { IdentityButton } from './identity-button.js';
import { KeyForm } from './key-form.js';
import { session } from './session.js';

/** Above the screens, which keep what was typed. */
export function SignInAgain({ why }: { why: string }) {
  useEffect(() => {
    const resume = () => void session.resume();
    addEventListener('focus', resume);
    return () => removeEventListener('focus', resume);
  }, []);
  return (
    <Dialog title="Sign in again" onClose={() => session.dismissSignIn()}>
      <section>
        <Notice kind="warn">{why}</Notice>
        <IdentityButton inNewTab />
        <KeyForm />
      </section>
    </Dialog>
  );
}
