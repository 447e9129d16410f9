import { describe, expect, it } from 'vitest'
import { isPrivateUse, isRedirectUri } from '../../../src/http/caller/redirect-uri.ts'

describe('a redirect URI', () => {
  it.each([
    'https://agent.example/callback?a=b',
    'https://agent.example',
    'http://localhost:7777/callback',
    'http://127.0.0.1/',
    'http://[::1]:1/x',
  ])('of the web is accepted: %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(true)
    expect(isPrivateUse(new URL(uri))).toBe(false)
  })

  it.each([
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth2redirect',
    'vscode://publisher.extension/callback?x=1',
    'msauth.com.example.app://auth',
    'my-app+2://done',
  ])('of an app is accepted: %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(true)
    expect(isPrivateUse(new URL(uri))).toBe(true)
  })

  it.each([
    'http://agent.example/callback',
    'http://10.0.0.1/',
    'http://localhost.evil.test/',
    'HTTP://agent.example/',
    'https://agent.example/#x',
    'https://agent.example/#',
    'cursor://a/b#',
    'https://u:p@agent.example/',
    'cursor://user@host/x',
    'cursor://:p@host/x',
    'https://a.example/‮x',
    'https://a.example/ x',
    ' https://a.b/',
    'https://a.example\\@evil.test/',
    'cursor://a\nb',
    'cursor://a\0b',
    'https://exa[mple/',
    'https://',
    'callback',
    '',
    '/callback',
    '//a.example/',
    ':/x',
    '1app:/x',
    'cürsor://a',
    'urn:ietf:wg:oauth:2.0:oob',
    'app:callback',
    'javascript:alert(1)',
    'javascript:/*x*/alert(1)',
    'JavaScript://a/%0aalert(1)',
    'data:text/html,x',
    'data:/x,y',
    'vbscript:/x',
    'file:///etc/passwd',
    'blob:https://a.example/1',
    'blob:/x',
    'filesystem:/x',
    'about:blank',
    'about:/x',
    'intent://scan/#Intent;end',
    'intent://scan/x',
    'view-source:/x',
    'chrome://settings/',
    'edge://x/',
    'chrome-extension://abc/x',
    'moz-extension://abc/x',
    'ms-msdt:/id',
    'ms-settings:/x',
    'search-ms:/x',
    'ws://a.b/',
    'wss://a.b/',
    'ftp://a.b/x',
    'mailto:/a',
    'tel:/1',
    'sms:/1',
    'android-app://x/y',
    'ssh://a/b',
    'resource://x/',
    'com.example.app://127.0.0.1:7/x',
    'com.example.app://LOCALHOST/x',
    'com.example.app://[::1]/x',
  ])('that must not receive a code is refused: %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(false)
  })
})
