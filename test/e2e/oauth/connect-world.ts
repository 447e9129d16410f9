import { type RunningServer, type ServerOptions, startApp } from '../server.ts'
import { HttpPerson } from './http-person.ts'
import { CLIENT_ID, startProvider, type TestProvider } from './provider.ts'
import { signIn } from './sign-in.ts'

export const ADMIN_KEY = 'an-administrators-key-1'
export const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
export const RULES = [{ domain: 'acme.test', toolkits: ['Calculator', 'Fixture'] }]

/** A Switchboard where people of acme.test sign in with a real provider, and agents connect. */
export interface ConnectWorld {
  readonly provider: TestProvider
  readonly server: RunningServer
  /** Returns a person who is signed in there. */
  findSession(name: string): Promise<HttpPerson>
  /** Restarts the deployment with other rules at the same address. */
  again(rules: readonly object[]): Promise<ConnectWorld>
  stop(): Promise<void>
}

export async function startConnectWorld(
  vars: Readonly<Record<string, unknown>> = {},
  /** Further `host:port` values, besides the provider's, that allow http. */
  hosts: readonly string[] = [],
  outbound?: ServerOptions['outbound'],
  /** `again` needs workerd. */
  startOn: (options: ServerOptions) => Promise<RunningServer> = startApp,
): Promise<ConnectWorld> {
  const provider = await startProvider()
  for (const name of ['ann', 'bob', 'mallory']) {
    provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  }
  const start = async (rules: readonly object[], options: Partial<ServerOptions> = {}): Promise<ConnectWorld> => {
    const server = await startOn({
      ...options,
      vars: {
        ACCESS: 'keys',
        ADMIN_KEY,
        ALLOW_HTTP_HOSTS: [provider.host, ...hosts].join(),
        SIGN_IN_ISSUER: provider.issuer,
        SIGN_IN_CLIENT_ID: CLIENT_ID,
        SIGN_IN_CLIENT_SECRET: provider.clientSecret,
        SIGN_IN_RULES: JSON.stringify(rules),
        ...vars,
      },
      ...(outbound ? { outbound } : {}),
    })
    provider.allowRedirectTo(`${server.url}/sign-in/callback`)
    return {
      provider,
      server,
      async findSession(name) {
        const who = new HttpPerson()
        const { status, text } = await signIn(who, server.url, name)
        if (status !== 200) throw new Error(`${name} is not signed in (${status}):\n${text}`)
        return who
      },
      async again(others) {
        await server.stop({ keep: true })
        return start(others, { ...options, persistTo: server.persistTo, port: Number(new URL(server.url).port) })
      },
      async stop() {
        await Promise.all([server.stop(), provider.close()])
      },
    }
  }
  return start(RULES)
}
