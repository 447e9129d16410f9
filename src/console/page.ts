import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Principal, Scope } from '../core/access/principal.ts'
import type { Progress } from '../core/call/progress.ts'

/** What a route of the deployment answered. */
export interface Reply<T> {
  readonly ok: boolean
  readonly status: number
  readonly headers: Headers
  /** Its body, where it is JSON: of a failure as OXP words it. */
  readonly value: T
}

/** A request that was made for a page. */
export interface MadeRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** As JSON. */
  readonly body?: string
  /** What was asked for, where that is not JSON alone. */
  readonly accept?: string
}

/** What a route answers: at once, or after it has told of progress. */
export type Followed<T> =
  { readonly reply: Reply<T> } | { readonly progress: AsyncIterable<Progress>; readonly end: () => Promise<Reply<T>> }

/** Somebody who opens a page, or sends its form. */
export interface Visit {
  readonly principal: Principal
  readonly url: URL
  /** What stands in the path where it has a name. */
  readonly params: Readonly<Record<string, string>>
  /** The fields of the form that was sent; none where the page was opened. */
  readonly form: URLSearchParams
  /** Whether whoever comes without a credential is let in as an administrator, as `npm run dev` does. */
  readonly isOpen: boolean
  /**
   * Asks a route of this deployment as who visits, with every check that it has for anybody: a page has no other way to know
   * or to do a thing. `T` is what the route's `wire.ts` writes; of a failure it is to be read with `failureOf`. The foot of
   * the page shows it.
   */
  ask<T>(method: string, path: string, body?: unknown): Promise<Reply<T>>
  /** The same of a route that may tell of progress: waits for the reply, or for the first that is told before it. */
  follow<T>(method: string, path: string, body: unknown): Promise<Followed<T>>
}

/** What a page shows. */
export interface View {
  readonly title: string
  readonly content: JSX.Element
  /** 200 unless it says. */
  readonly status?: number
  /** What comes while the page is sent, where its content has `LivePlace`, once. */
  readonly live?: Live
}

/** What is shown of something that goes on. */
export interface Live {
  readonly parts: AsyncIterable<JSX.Element>
  /** The content when it is over: what stands in it behind `LivePlace` is sent then. */
  readonly end: () => Promise<JSX.Element>
}

/** Leads elsewhere: a path of the console. */
export interface Leads {
  readonly leadsTo: string
}

/** A page of the console. */
export interface PageModule {
  /** `GET`: changes nothing. */
  show(visit: Visit): Promise<View | Leads>
  /** `POST`, where it has a form; only forms of our own pages come here. */
  act?(visit: Visit): Promise<View | Leads>
}

/** Where a page is, who may open it, and what is loaded when somebody does. */
export interface PageEntry {
  /** As Hono has it: `/console/tools/:id`. */
  readonly path: string
  /** What it is called in the navigation; absent: it is reached from another page. */
  readonly label?: string
  /** Absent: whoever is let in at all. */
  readonly scope?: Scope
  /** Whether it is somebody's own, and so not for the anonymous. */
  readonly isPrivate?: true
  /** Whether it has a form to send. */
  readonly hasForm?: true
  readonly load: () => Promise<PageModule>
}
