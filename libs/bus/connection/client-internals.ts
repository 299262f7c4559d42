/** All private parts of the NATS client that Roster uses. A test names them, and fails if a version lacks one. */
import {
  DataBuffer,
  extractProtocolMessage,
  NatsConnectionImpl,
  NatsError,
  ErrorCode,
  setTransportFactory,
} from 'nats/lib/nats-base-client/internal_mod.js';
import { nodeResolveHost, NodeTransport } from 'nats/lib/src/node_transport.js';
import {
  MsgHdrsImpl,
  type Authenticator,
  type ConnectionOptions,
  type ConsumerMessages,
  type NatsConnection,
  type Subscription,
  type TlsOptions,
} from 'nats';

/** PEM files for TLS, read at every connection. */
export interface TlsFiles {
  /** Certificate authorities to trust instead of the default ones. */
  caFile?: string | undefined;
  /** Certificate of this program, and its private key. */
  certFile?: string | undefined;
  keyFile?: string | undefined;
}

/** TLS options and credentials for one server. */
export interface ServerSettings {
  /** Undefined: TLS only if the server requires it. */
  tls: TlsFiles | undefined;
  auth: Authenticator;
}

/** The settings for a server; undefined for one that must not be connected to. What it throws fails the connection attempt. */
export type SelectServer = (address: {
  hostname: string;
  port: number;
}) => ServerSettings | undefined;

interface Options extends ConnectionOptions {
  selectServer?: SelectServer;
}

/**
 * Connects like `connect` of the client, with credentials and TLS options selected for each server. Credentials are sent only
 * over the transport for which they were selected.
 */
export function connectWith(
  options: ConnectionOptions,
  select: SelectServer,
): Promise<NatsConnection> {
  let selected: ServerSettings | undefined;
  setTransportFactory({ factory: () => new ServerTransport(), dnsResolveFn: nodeResolveHost });
  const own: Options = {
    ...options,
    selectServer: (address) => (selected = select(address)),
    authenticator: (nonce) => {
      const { auth } = selected ?? {};
      selected = undefined;
      return auth?.(nonce);
    },
  };
  return NatsConnectionImpl.connect(own);
}

/**
 * The client has one set of credentials and TLS options for all servers of a list. Its transport is the only place that knows to
 * which server it connects.
 */
class ServerTransport extends NodeTransport {
  override async connect(
    server: { hostname: string; port: number; tlsName: string },
    options: Options,
  ): Promise<void> {
    const { selectServer } = options;
    // Other connections of this process.
    if (!selectServer) return super.connect(server, options);
    const { tlsName, hostname, port } = server;
    const settings = selectServer({ hostname: tlsName || hostname, port });
    if (!settings)
      throw new NatsError(`${hostname}:${port} is not configured`, ErrorCode.BadAuthentication);
    const { tls } = settings;
    // Without `host`, the certificate of a server that is given by its address would be checked for the name `localhost`.
    const host = { host: tlsName || hostname };
    return super.connect(server, {
      ...options,
      ...(tls && { tls: { ...tls, ...host } as TlsOptions }),
    });
  }

  /** What an attacker sends after the greeting, before TLS, would be read as if it had come over TLS. */
  override startTLS(): ReturnType<NodeTransport['startTLS']> {
    const received = DataBuffer.concat(...this.yields);
    if (extractProtocolMessage(received).length < received.length)
      return Promise.reject(new NatsError('data before TLS', 'DATA_BEFORE_TLS'));
    return super.startTLS();
  }
}

/** Ends the iteration once the messages sent by NATS have arrived: they can be given back before their ack wait ends. */
export function drainMessages(messages: ConsumerMessages): void {
  // The client's `stop()` drops messages in transit. The iterator also ends when its subscription is drained.
  const { sub } = messages as { sub?: Subscription };
  if (sub) sub.drain().catch(() => messages.stop());
  else messages.stop();
}

/**
 * Headers encoded as bytes. The client's headers check and normalize every name, which takes a microsecond per message: five
 * times as long.
 */
export class WrittenHeaders extends MsgHdrsImpl {
  #text = 'NATS/1.0\r\n';

  constructor(headers: Record<string, string>) {
    super();
    for (const name in headers) this.#text += `${name}: ${headers[name]}\r\n`;
  }

  override encode(): Uint8Array {
    return Buffer.from(`${this.#text}\r\n`);
  }
}
