import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../api/answers.ts'
import type { Principal, Scope } from '../core/access/principal.ts'
import type { Progress } from '../core/call/progress.ts'
import type { PathParameters } from '../http/request/path-segment.ts'

/** A route's failure, with the fields of OXP (`dialects/oxp/failure.ts`). */
export interface RouteFailure {
  readonly status: number
  readonly message: string
  readonly detail?: string
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** A route's response. The `etag` has no quotes. */
export type Reply<T> =
  | { readonly ok: true; readonly status: number; readonly value: T; readonly etag?: string | undefined }
  | { readonly ok: false; readonly status: number; readonly failure: RouteFailure }

/** A request to a route: its path parameters by name, and its other parts. The `etag` is sent as `If-Match`. */
type RouteRequest<R extends string> = PathParameters<R extends `${infer Path}?${string}` ? Path : R> & RequestParts

export interface RequestParts {
  readonly query?: URLSearchParams | string
  readonly body?: unknown
  readonly etag?: string | undefined
}

export interface CallResponse<T> {
  readonly status: number
  readonly value: T
}

export type StartedCall<T> =
  | { readonly reply: CallResponse<T> }
  | { readonly progress: AsyncIterable<Progress | undefined>; readonly end: () => Promise<CallResponse<T>> }

export interface PageContext {
  readonly principal: Principal
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly form: URLSearchParams
  /** Whether anonymous visitors are administrators, as under `npm run dev`. */
  readonly isOpen: boolean
  /** Requests a route as the visitor, with all its checks. Pages have no other access to data. */
  fetchRoute<R extends keyof ApiAnswers>(
    route: R,
    ...request: object extends RouteRequest<R> ? [RouteRequest<R>?] : [RouteRequest<R>]
  ): Promise<Reply<ApiAnswers[R]>>
  /** Calls a tool, waiting 1 s for its reply or first progress. `progress` yields undefined each idle second. `T` is OXP's. */
  startCall<T>(route: 'POST /tools/call', body: unknown): Promise<StartedCall<T>>
}

export interface View {
  readonly title: string
  /** A path of this deployment; shown before the title. */
  readonly icon?: string | undefined
  /** The pages above this one, outermost first. Pages of the sidebar have none. */
  readonly trail?: readonly Crumb[]
  readonly content: JSX.Element
  readonly status?: number
  /** Streamed in place of the content's one `LivePlace`. */
  readonly live?: LiveParts
  /** Whether a script calls a tool in the page, and shows the result. Its policy allows `data:` images. */
  readonly callsTool?: boolean
  /** Whether a script filters and counts the tools of an import. */
  readonly picksTools?: boolean
}

export interface Crumb {
  readonly text: string
  readonly href: string
}

export interface LiveParts {
  readonly parts: AsyncIterable<JSX.Element>
  /** The final content. Only what follows its `LivePlace` is sent, after the last part. */
  readonly end: () => Promise<JSX.Element>
}

export type PageResult = View | { readonly redirectTo: string }

export interface PageModule {
  show(context: PageContext): Promise<PageResult>
  /** Handles `POST`, from forms of our own pages only. */
  submit?(context: PageContext): Promise<PageResult>
}

export interface PageEntry {
  /** A Hono pattern, such as `/console/tools/:id`. */
  readonly path: string
  /** Its label in the sidebar. Pages below it have the same label. */
  readonly label: string
  readonly scope?: Scope
  /** Hidden from anonymous visitors. */
  readonly isPrivate?: true
  readonly hasForm?: true
  /** Whether its form has a file field, which accepts files as large as the body of an import. */
  readonly takesFile?: true
  /** Whether its label shows the number of versions that wait for review. */
  readonly countsPending?: true
  readonly load: () => Promise<PageModule>
}
