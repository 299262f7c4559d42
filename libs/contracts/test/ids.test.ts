import test from 'ava';
import { decodeId, encodeId } from '../index.js';

// https://github.com/jetify-com/typeid/blob/main/spec/valid.yml
const vectors = [
  ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
] as const;

for (const [uuid, suffix] of vectors) {
  test(`encodes and decodes ${uuid} as in the TypeID specification`, (t) => {
    t.is(encodeId('contact', uuid), `cont_${suffix}`);
    t.is(decodeId('contact', `cont_${suffix}`), uuid);
  });
}

test('does not decode text that is not an ID of the kind', (t) => {
  const good = '01h455vb4pex5vsknk084sn02q';
  const bad = [
    '',
    good,
    `cont_${good.slice(1)}`,
    `cont_${good}0`,
    `cont-${good}`,
    `usr_${good}`,
    `CONT_${good}`,
    `cont_${good.toUpperCase()}`,
    `cont_8${good.slice(1)}`,
    `cont_${good.slice(0, -1)}u`,
    `cont_${good.slice(0, -1)}-`,
    `cont_${good.slice(0, -1)}\0`,
  ];
  t.deepEqual(
    bad.filter((id) => decodeId('contact', id) !== undefined),
    [],
  );
});
