import {
  byId,
  expect,
  expectFault,
  type Answer,
  type Request,
  type Rule,
  type Rules,
  type Webhook,
  type WorkspaceState,
} from './workspace-state.js';

export const webhookRules: Rules = {
  'webhooks.create'(model, { body }, answer) {
    const { url, events, token } = body as { url: string; events: string[]; token?: string };
    const { id, token: given = '' } = answer.body['webhook'] ?? {};
    if (token === undefined && !/^wht_\w{33}$/.test(given))
      throw new Error(`generated the token ${given}`);
    answerWebhook(model, { id, url, events, token: token ?? given, status: 'active' }, answer, 201);
    model.ids.webhook.push(id);
  },
  'webhooks.get': onWebhook((model, webhook, _, answer) => answerWebhook(model, webhook, answer)),
  'webhooks.update': onWebhook((model, webhook, { body }, answer) => {
    const { url = webhook.url } = body as { url?: string };
    const status = url === webhook.url ? webhook.status : 'active';
    answerWebhook(model, { ...webhook, url, status }, answer);
  }),
  'webhooks.enable': onWebhook((model, webhook, _, answer) =>
    answerWebhook(model, { ...webhook, status: 'active' }, answer),
  ),
  'webhooks.disable': onWebhook((model, webhook, _, answer) =>
    answerWebhook(model, { ...webhook, status: 'disabled' }, answer),
  ),
  'webhooks.rotate-token': onWebhook((model, webhook, { body }, answer) => {
    const token = (body?.['token'] ?? answer.body['webhook']?.token) as string;
    if (body?.['token'] === undefined && token === webhook.token)
      throw new Error('the token is unchanged');
    answerWebhook(model, { ...webhook, token }, answer);
  }),
  'webhooks.delete': onWebhook((model, webhook, _, answer) => {
    expect(answer, { status: 200, body: { deleted: true } });
    model.webhooks.delete(webhook.id);
  }),
  'webhooks.list'(model, _, answer) {
    const listed = (answer.body['webhooks'] ?? []) as Webhook[];
    const found = listed.map(({ id, url, events, status }) => ({ id, url, events, status }));
    const expected = [...model.webhooks.values()]
      .toSorted(byId)
      .map(({ token: __, ...shown }) => shown);
    expect({ status: answer.status, body: { found } }, { status: 200, body: { found: expected } });
    if (listed.some((webhook) => 'token' in webhook)) throw new Error('a list contains a token');
  },
};

function onWebhook(
  rule: (model: WorkspaceState, webhook: Webhook, request: Request, answer: Answer) => void,
): Rule {
  return (model, request, answer) => {
    const webhook = model.webhooks.get(request.id!);
    if (webhook) rule(model, webhook, request, answer);
    else expectFault(answer, 404, 'not_found');
  };
}

function answerWebhook(
  model: WorkspaceState,
  webhook: Webhook,
  answer: Answer,
  status = 200,
): void {
  const { id, url, events, token, status: state } = answer.body['webhook'] ?? {};
  const isRepetition = model.repeatsWrites && answer.body['code'] === 'conflict';
  // Applied, and repeated because its response was lost. Its token has been replaced since, or the webhook deleted.
  if (isRepetition) expectFault(answer, 409, 'conflict', answer.body['existingId']);
  else
    expect(
      { status: answer.status, body: { id, url, events, token, status: state } },
      { status, body: { ...webhook } },
    );
  model.webhooks.set(webhook.id, webhook);
}
