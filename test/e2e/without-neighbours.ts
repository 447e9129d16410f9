import type { RunningServer } from './server.ts'

interface Warned {
  readonly warnings?: readonly { readonly message: string }[]
}

/** Wraps a server to drop its warnings about tools with similar descriptions, which these tests use. */
export function withoutNeighbours(server: RunningServer): RunningServer {
  return {
    ...server,
    async json(method, path, body, headers) {
      const answer = await server.json(method, path, body, headers)
      if (method !== 'POST') return answer
      const { results } = Object(answer.body)
      const own = Array.isArray(results) ? { ...answer.body, results: results.map(unwarned) } : unwarned(answer.body)
      return { ...answer, body: own }
    },
  }
}

export function unwarned<Body>(body: Body): Body {
  const { warnings }: Warned = Object(body)
  if (!warnings) return body
  const others = warnings.filter(({ message }) => !message.startsWith('A search for the first sentence of '))
  const { warnings: _, ...rest } = Object(body)
  return others.length === 0 ? rest : { ...rest, warnings: others }
}
