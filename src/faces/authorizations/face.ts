import { Hono } from 'hono'
import { html } from 'hono/html'

const SECURITY = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/**
 * The page behind a challenge's link: `GET /authorizations/{provider}/start`. No provider is connected to this
 * deployment, so it says what the person, and whoever calls the tool, can do instead.
 */
export function authorizationsFace(): Hono {
  const face = new Hono()
  face.get('/authorizations/:provider/start', (c) => {
    const provider = c.req.param('provider').slice(0, 128)
    const page = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>Authorization needed</title>
          <style>
            body {
              font:
                1rem/1.5 system-ui,
                sans-serif;
              max-width: 38rem;
              margin: 3rem auto;
              padding: 0 1rem;
              color: #1a1a1a;
              background: #fff;
            }
            code {
              background: #eee;
              padding: 0.1em 0.3em;
            }
          </style>
        </head>
        <body>
          <main>
            <h1>“${provider}” is not connected here</h1>
            <p>
              A tool wants to act for you at <strong>${provider}</strong>, and this Switchboard has no connection to it,
              so it cannot ask you for your consent. Nothing was shared.
            </p>
            <p>
              Whoever runs the agent can call the tool with a token of yours instead, in
              <code>context.authorization</code>: it is used for that one call and never stored.
            </p>
          </main>
        </body>
      </html>`
    return c.html(page, 404, SECURITY)
  })
  return face
}
