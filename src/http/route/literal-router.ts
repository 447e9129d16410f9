import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { H, RouterRoute } from 'hono/types'

type Route = [H, RouterRoute]

/**
 * Finds the routes of a path without parameters once, and by a map from then on. Hono's RegExpRouter would too, but takes
 * no `/docs/:guide` beside `/docs/reference`, and all routes would go through the trie with every request.
 */
export class LiteralRouter implements Router<Route> {
  readonly name = 'LiteralRouter'
  readonly #trie = new TrieRouter<Route>()
  readonly #literals = new Set<string>()
  readonly #found = new Map<string, Map<string, Result<Route>>>()

  add(method: string, path: string, route: Route): void {
    this.#trie.add(method, path, route)
    if (!/[:*]/.test(path)) this.#literals.add(path)
    this.#found.clear()
  }

  match(method: string, path: string): Result<Route> {
    return this.#found.get(method)?.get(path) ?? this.#find(method, path)
  }

  #find(method: string, path: string): Result<Route> {
    const found = this.#trie.match(method, path)
    const [handlers] = found
    const last = handlers.findLastIndex(([[, route]]) => route.method === method)
    // Kept only for methods that the path has, since a client may name any
    if (last === -1 || !this.#literals.has(path)) return found
    // Handlers of all methods behind those of this one are for the others: Hono would chain them for nothing
    handlers.splice(last + 1)
    const known = this.#found.get(method) ?? new Map<string, Result<Route>>()
    this.#found.set(method, known.set(path, found))
    return found
  }
}
