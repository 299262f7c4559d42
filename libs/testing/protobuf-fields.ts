/** The fields of a message in protobuf, by their numbers: https://protobuf.dev/programming-guides/encoding/ */
export interface Fields {
  has(field: number): boolean;
  messages(field: number): Fields[];
  /** Empty if the field is absent. */
  text(field: number): string;
  hex(field: number): string;
  /** Zero if the field is absent. */
  number(field: number): bigint;
}

export function fieldsOf(message: Buffer): Fields {
  const read = readFields(message);
  const bytes = (field: number) =>
    read.get(field)?.filter((value) => typeof value !== 'bigint') ?? [];
  return {
    has: (field) => read.has(field),
    messages: (field) => bytes(field).map((value) => fieldsOf(value)),
    text: (field) => bytes(field)[0]?.toString('utf8') ?? '',
    hex: (field) => bytes(field)[0]?.toString('hex') ?? '',
    number: (field) => read.get(field)?.find((value) => typeof value === 'bigint') ?? 0n,
  };
}

function readFields(message: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  while (at < message.length) {
    const tag = varint();
    const values = fields.get(Number(tag >> 3n)) ?? [];
    fields.set(Number(tag >> 3n), values);
    values.push(valueOf(Number(tag & 7n)));
  }
  return fields;

  function valueOf(wireType: number): Buffer | bigint {
    if (wireType === 0) return varint();
    if (wireType === 1) return message.readBigUInt64LE((at += 8) - 8);
    if (wireType === 5) return BigInt(message.readUInt32LE((at += 4) - 4));
    if (wireType !== 2) throw new Error(`wire type ${wireType}`);
    const length = Number(varint());
    return message.subarray(at, (at += length));
  }

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('a message ends within a number');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
}
