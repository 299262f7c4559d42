import test from 'ava';
import { isListableOrigin } from '../index.js';

test('an origin is a scheme, a host and a port that is not the default one, as browsers send it', (t) => {
  for (const origin of [
    'https://app.example.com',
    'https://app.example.com:8443',
    'https://xn--mnchen-3ya.example',
    'https://192.0.2.1',
    'https://[2001:db8::1]:8443',
    'https://my_app.example.com',
    'http://localhost:5173',
    'http://127.0.0.1:3000',
    'http://[::1]',
  ])
    t.true(isListableOrigin(origin), origin);
});

test('neither patterns nor other parts of a URL are origins, and http is limited to loopback', (t) => {
  for (const text of [
    '',
    '*',
    'null',
    'https://*.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com?query',
    'https://app.example.com#fragment',
    'https://user@app.example.com',
    'https://app.example.com:443',
    'HTTPS://APP.EXAMPLE.COM',
    'https://münchen.example',
    ' https://app.example.com',
    'https://app.example.com\n',
    'app.example.com',
    '//app.example.com',
    'http://app.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'ftp://app.example.com',
    'chrome-extension://abcdefgh',
    'https://app..example.com',
    'https://-.com',
    `https://${'a'.repeat(64)}.com`,
    `https://${'a.'.repeat(130)}example.com`,
  ])
    t.false(isListableOrigin(text), JSON.stringify(text));
});
