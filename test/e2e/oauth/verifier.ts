import { createServer } from 'node:http'
import { close, listen } from './provider.ts'
import { type Connected, connect, type Reply, type World } from './switchboard.ts'

/** A deployment's application that knows who is using a browser (`USER_VERIFIER_URL`). */
export interface Verifier {
  readonly url: string
  /** The Switchboard that it confirms people to. */
  edge: Pick<Connected, 'ask'> | undefined
  /** The person who is signed in there, in any browser; undefined: the person that the authorization is for. */
  findSession: string | undefined
  /** Whether it confirms the person, as it should. */
  confirms: boolean
  /** The parameters with which browsers arrived, and Switchboard's reply to the confirmation. */
  readonly visits: { readonly authorization: string; readonly flow: string; readonly reply?: Reply }[]
  close(): Promise<void>
}

/** Starts a Switchboard in a world, and the application that verifies its users. */
export async function connectVerified(
  world: World,
  vars: Readonly<Record<string, string>> = {},
): Promise<{ readonly app: Verifier; readonly edge: Connected }> {
  const app = await startVerifier()
  const edge = await connect(world, { vars: { ...vars, USER_VERIFIER_URL: app.url } })
  app.edge = edge
  return { app, edge }
}

export async function startVerifier(): Promise<Verifier> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://app')
    const visit = { authorization: searchParams.get('authorization') ?? '', flow: searchParams.get('flow') ?? '' }
    const say = (text: string) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${text}</h1>`)
    if (!verifier.confirms) {
      verifier.visits.push(visit)
      return void say('The application is thinking')
    }
    void confirm(visit).then((reply) => {
      verifier.visits.push({ ...visit, reply })
      if (reply.status === 200) response.writeHead(302, { location: reply.body.next }).end()
      else say('This link is for somebody else')
    })
  })

  async function confirm({ authorization, flow }: { readonly authorization: string; readonly flow: string }) {
    const { edge, findSession } = verifier
    if (!edge) throw new Error('The application does not know its Switchboard')
    const at = `/authorizations/${authorization}`
    const user = findSession ?? (await edge.ask('GET', at)).body.user_id ?? 'somebody'
    return edge.ask('POST', `${at}/confirm`, { flow, user_id: user })
  }

  const port = await listen(server, 0)
  const verifier: Verifier = {
    url: `http://localhost:${port}/verify?from=switchboard`,
    edge: undefined,
    findSession: undefined,
    confirms: true,
    visits: [],
    close: () => close(server),
  }
  return verifier
}
