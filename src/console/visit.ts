import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../api/answers.ts'
import type { Principal, Scope } from '../core/access/principal.ts'
import type { Progress } from '../core/call/progress.ts'
import type { RequestBudget } from '../core/tool/budget.ts'
import type { PathParameters } from '../http/request/path-segment.ts'

/** A route's failure in its own words, as OXP has them (`dialects/oxp/failure.ts`). */
export interface RouteFailure {
  readonly status: number
  readonly message: string
  readonly detail?: string
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** A route's answer: `etag` is without its quotes. */
export type Reply<T> =
  | { readonly ok: true; readonly status: number; readonly value: T; readonly etag?: string | undefined }
  | { readonly ok: false; readonly status: number; readonly failure: RouteFailure }

/** The parameters of a route's path by name, and the rest of a request to it; with an `etag` it is sent as `If-Match`. */
type RouteRequest<R extends string> = PathParameters<R extends `${infer Path}?${string}` ? Path : R> & RequestParts

export interface RequestParts {
  readonly query?: URLSearchParams | string
  readonly body?: unknown
  readonly etag?: string | undefined
}

export interface CallEnd<T> {
  readonly status: number
  readonly value: T
}

export type FollowedCall<T> =
  | { readonly reply: CallEnd<T> }
  | { readonly progress: AsyncIterable<Progress>; readonly end: () => Promise<CallEnd<T>> }

export interface PageContext {
  readonly principal: Principal
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly form: URLSearchParams
  readonly meter: RequestBudget
  /** Whether the anonymous are let in as administrators, as `npm run dev` does. */
  readonly isOpen: boolean
  /** Requests a route as the visitor, with all its checks: a page has no other way to read or change a thing. */
  fetchRoute<R extends keyof ApiAnswers>(
    route: R,
    ...request: object extends RouteRequest<R> ? [RouteRequest<R>?] : [RouteRequest<R>]
  ): Promise<Reply<ApiAnswers[R]>>
  /** Calls a tool: waits for the end, or for the first progress. `T` is the body that `dialects/oxp` answers. */
  follow<T>(route: 'POST /tools/call', body: unknown): Promise<FollowedCall<T>>
}

export interface View {
  readonly title: string
  /** Before the title, a path of this deployment. */
  readonly icon?: string | undefined
  /** The pages above this one, outermost first: a page of the sidebar has none. */
  readonly trail?: readonly Crumb[]
  readonly content: JSX.Element
  readonly status?: number
  /** Sent as it comes, where the content has its one `LivePlace`. */
  readonly live?: LiveParts
  /** Whether its policy lets in pictures that stand in the page itself. */
  readonly showsPictures?: boolean
}

export interface Crumb {
  readonly text: string
  readonly href: string
}

export interface LiveParts {
  readonly parts: AsyncIterable<JSX.Element>
  /** The content when it is over, of which everything behind `LivePlace` is sent. */
  readonly end: () => Promise<JSX.Element>
}

export type PageResult = View | { readonly redirectTo: string }

export interface PageModule {
  show(visit: PageContext): Promise<PageResult>
  /** `POST`, for forms of our own pages alone. */
  act?(visit: PageContext): Promise<PageResult>
}

export interface PageEntry {
  /** As Hono writes it: `/console/tools/:id`. */
  readonly path: string
  /** Its place in the sidebar, which a page below it shares. */
  readonly label: string
  readonly scope?: Scope
  /** Not for the anonymous. */
  readonly isPrivate?: true
  readonly hasForm?: true
  readonly load: () => Promise<PageModule>
}
