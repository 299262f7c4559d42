import {
  encodeId,
  Fault,
  operations,
  uuidOf,
  type CallInputOf,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { callAs } from '@roster/testing';
import { deliveryId } from '../../delivery/delivery.js';
import type { RunningDispatcher } from '../running-dispatcher.js';

/** For operations that wait for attempts on a busy machine. */
export const patient = { timeoutMs: 20_000 };

/** Calls operations of a running dispatcher as a workspace, by default as its own. */
export function callerFor({ bus, workspace }: RunningDispatcher, workspaceId = workspace.outside) {
  return <Name extends OperationName>(
    name: Name,
    input: CallInputOf<Operations[Name]>,
    idempotencyKey?: string,
  ): Promise<OutputOf<Operations[Name]>> =>
    bus.call(
      name,
      operations[name].input.parse(input) as InputOf<Operations[Name]>,
      callAs({ workspaceId }, idempotencyKey === undefined ? {} : { idempotencyKey }),
    );
}

/** The code of the fault of a call, or `ok`. */
export const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

/** The encoded ID of the delivery of an event to a webhook. */
export const idOf = (eventId: string, webhookId: string) =>
  encodeId('delivery', deliveryId(eventId, uuidOf('webhook', webhookId)));
