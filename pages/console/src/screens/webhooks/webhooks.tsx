import { useParams } from 'wouter';
import { WebhookList } from './webhook-list.js';
import { WebhookPage } from './webhook-page.js';

/** The webhooks of the workspace, or one of them. */
export function Webhooks() {
  const { id } = useParams();
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
}
