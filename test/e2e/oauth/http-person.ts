/**
 * A person whose browser supports only cookies, forms and redirects, without scripts or images. It is faster than Chromium
 * in tests with many repeated steps.
 */
export class HttpPerson {
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #said: string[] | undefined

  /** `said` collects the headers and body of every response. */
  constructor(said?: string[]) {
    this.#said = said
  }

  /** Opens a page as if its address was typed, follows redirects, and returns the last page. */
  open(url: string): Promise<Visited> {
    return this.#request(url, {})
  }

  /** Presses a button of the page's form, with its current fields except those in `fields`. */
  press(page: Visited, button: RegExp, fields: Readonly<Record<string, string>> = {}): Promise<Visited> {
    const form = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(page.text)
    if (!form) throw new Error(`Cannot press ${button}: ${page.url} (${page.status}) has no form:\n${page.text}`)
    const [, opening = '', inside = ''] = form
    const pressed = [...inside.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/gi)].find(([, , label = '']) =>
      button.test(label),
    )
    if (!pressed) throw new Error(`Cannot find a button ${button} at ${page.url}:\n${page.text}`)
    const body = /\bmultipart\b/.test(opening) ? new FormData() : new URLSearchParams()
    for (const [, attributes = ''] of inside.matchAll(/<input\b([^>]*)>/gi)) {
      const name = attribute(attributes, 'name')
      if (name === undefined) continue
      const boxed = attribute(attributes, 'type') === 'checkbox'
      if (!boxed || /\bchecked\b/.test(attributes))
        body.append(name, fields[name] ?? attribute(attributes, 'value') ?? '')
    }
    const name = attribute(pressed[1] ?? '', 'name')
    if (name !== undefined) body.append(name, attribute(pressed[1] ?? '', 'value') ?? '')
    const action = new URL(attribute(opening, 'action') ?? '', page.url)
    if (action.href.endsWith('?') || attribute(opening, 'action') === undefined)
      action.search = new URL(page.url).search
    return this.#request(action.href, { method: 'POST', body, headers: { origin: new URL(page.url).origin } })
  }

  /** Sends a request without a body, as a same-origin script would. */
  send(method: string, url: string): Promise<Visited> {
    return this.#request(url, { method, headers: { origin: new URL(url).origin } })
  }

  /** Sends a form, as a page of the site in the headers would. */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Visited> {
    return this.#request(url, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  /** Sends a form, as `post` does, without following redirects. */
  async submit(
    href: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const url = new URL(href)
    const jar = this.#jar(url)
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const sent = { ...headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: sent,
      body: new URLSearchParams(fields),
    })
    for (const each of response.headers.getSetCookie()) keep(jar, each)
    return response
  }

  /** Returns the first redirect of an address, and keeps its cookies. */
  async location(url: string): Promise<string> {
    const jar = this.#jar(new URL(url))
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    for (const each of response.headers.getSetCookie()) keep(jar, each)
    await response.body?.cancel()
    return response.headers.get('location') ?? ''
  }

  /** Returns the `Cookie` header that a browser would send for an image of this origin. */
  cookieOf(origin: string): string {
    return [...this.#jar(new URL(origin))].map((pair) => pair.join('=')).join('; ')
  }

  /** Returns a person who has obtained all cookies. */
  copy(): HttpPerson {
    const other = new HttpPerson()
    for (const [host, jar] of this.#cookies) other.#cookies.set(host, new Map(jar))
    return other
  }

  /** Does everything a person does to consent, from the challenge's link to the final page. */
  async consent(url: string, account: string, decision: 'Allow' | 'Deny' = 'Allow'): Promise<Visited> {
    const page = await this.press(await this.open(url), /continue/i)
    return this.answerProvider(page, account, decision)
  }

  /** On the provider's pages, signs in if asked, then allows or denies. */
  async answerProvider(page: Visited, account: string, decision: 'Allow' | 'Deny' = 'Allow'): Promise<Visited> {
    const findSession = /name="name"/.test(page.text) ? await this.press(page, /Sign in/, { name: account }) : page
    return this.press(findSession, new RegExp(decision))
  }

  async #request(start: string, init: RequestInit): Promise<Visited> {
    let [url, given] = [new URL(start), init]
    for (let hop = 0; hop < 20; hop++) {
      const jar = this.#jar(url)
      const headers = new Headers(given.headers)
      headers.set('accept', 'text/html')
      if (jar.size > 0) headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
      const response = await fetch(url, { ...given, headers, redirect: 'manual' })
      for (const cookie of response.headers.getSetCookie()) keep(jar, cookie)
      this.#said?.push([...response.headers].map((pair) => pair.join(': ')).join('\n'))
      const location = response.headers.get('location')
      if (location === null || response.status < 300 || response.status > 399) {
        const text = await response.text()
        this.#said?.push(text)
        return { url: url.href, status: response.status, headers: response.headers, text }
      }
      await response.body?.cancel()
      ;[url, given] = [new URL(location, url), {}]
    }
    throw new Error(`Cannot open ${start}: it redirects without end`)
  }

  /** Cookies are stored by host, because ports share them (RFC 6265, section 8.5). */
  #jar({ hostname }: URL): Map<string, string> {
    const known = this.#cookies.get(hostname)
    if (known) return known
    const fresh = new Map<string, string>()
    this.#cookies.set(hostname, fresh)
    return fresh
  }
}

export interface Visited {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at).trim()
  const expires = attributes.map((each) => /^\s*(?:expires=(.*)|max-age=(-?\d+))/i.exec(each)).find((each) => each)
  const over =
    expires && (expires[2] === undefined ? Date.parse(expires[1] ?? '') < Date.now() : Number(expires[2]) <= 0)
  if (over) jar.delete(name)
  else jar.set(name, pair.slice(at + 1).trim())
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|([^\\s>"]+))`, 'i').exec(attributes)
  const value = found?.[1] ?? found?.[2]
  return value
    ?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
