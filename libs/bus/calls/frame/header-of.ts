import { headers, type MsgHdrs } from 'nats';

/** The headers of a message that has one. */
export function headerOf(name: string, value = '1'): MsgHdrs {
  const set = headers();
  set.set(name, value);
  return set;
}
