import { createServer } from 'node:http'
import { close, listen, type TestProvider } from './provider.ts'

/** The API that a provider's tokens are for. */
export interface MailApi {
  readonly origin: string
  /** `host:port`, for ALLOW_HTTP_HOSTS. */
  readonly host: string
  /** Its requests, in order, each with the account of its token, if known. */
  readonly requests: { readonly path: string; readonly token: string | undefined; readonly account?: string }[]
  close(): Promise<void>
}

/**
 * `GET /emails` needs `mail.read`, `POST /send` needs `mail.send`, `GET /echo` returns the token, and `DELETE /mailbox` is
 * open to all. An invalid token gets a 401 with a challenge (RFC 6750, section 3), one with too few scopes a 403.
 */
export async function startMailApi(provider: TestProvider): Promise<MailApi> {
  const requests: MailApi['requests'] = []
  const server = createServer((request, response) => {
    const json = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const path = new URL(request.url ?? '/', 'http://api').pathname
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    request.resume()
    void (token === undefined ? Promise.resolve(undefined) : provider.whose(token)).then((owner) => {
      requests.push({ path, token, ...(owner ? { account: owner.account } : {}) })
      if (path === '/mailbox') return json(200, { emptied: true })
      if (!owner) return json(401, { error: 'invalid_token' }, { 'www-authenticate': 'Bearer error="invalid_token"' })
      const wanted = path === '/send' ? 'mail.send' : 'mail.read'
      if (!owner.scopes.includes(wanted)) {
        const challenge = `Bearer error="insufficient_scope", scope="${wanted}"`
        return json(403, { error: 'insufficient_scope' }, { 'www-authenticate': challenge })
      }
      if (path === '/echo') return json(200, { you: owner.account, sent: token, encoded: btoa(token ?? '') })
      if (path === '/send') return json(200, { sent_as: owner.account })
      return json(200, { account: owner.account, emails: [{ subject: `Hello ${owner.account}` }] })
    })
  })
  const port = await listen(server, 0)
  return {
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    close: () => close(server),
  }
}
