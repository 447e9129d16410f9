import type { Principal } from '../../core/access/principal.ts'
import { fail } from '../../core/failure/failure.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { isolateMemory, type Memory, type Reservation } from '../../outbound/memory-budget.ts'
import { findUnreadText } from '../response/unread-text.ts'

/** Bytes of memory per byte of a call: as received, as text, and as the value passed to its tool. */
export const CALL_COPIES = 3
/** The same for a publication. Nested lists take more, and strings less. */
export const PUBLICATION_COPIES = 16
/** Bytes of memory per character of an answer, including the lines that it is joined from. */
const ANSWER_COPIES = 2
/** Longer than any call. */
const BODY_HELD_MS = 330_000
/** Longer than the slowest reader needs for the largest answer. */
const ANSWER_HELD_MS = 1_200_000
const MAX_WAIT_MS = 15_000
export const MEMORY_FULL = fail({ type: 'rate-limited', retry_after_ms: 5_000 })

export interface BodyMemory {
  /** Reserves memory for the bytes received so far; false if there is none in time. */
  growBody(bytes: number): Promise<boolean>
  /** Reserves memory for the copies of a whole body. */
  growWholeBody(bytes: number): Promise<boolean>
}

export interface AnswerMemory {
  /** Waits for memory for this many more characters; false if that takes too long. */
  growAnswer(characters: number): Promise<boolean>
}

/** For bodies that have a small limit. */
export const NO_MEMORY: BodyMemory = { growBody: async () => true, growWholeBody: async () => true }

interface MemoryOwner {
  readonly principal: Principal
  readonly request: Request
  readonly background: WaitUntil
  /** Forms have a separate share, because the requests made from a form count in the usual one. */
  readonly use?: 'form'
}

/** Callers without a credential have one share per address. */
function getAccount({ principal: { id, kind }, request: { headers }, use }: MemoryOwner): string {
  const account = kind === 'anonymous' ? `anonymous ${headers.get('cf-connecting-ip')}` : id
  return use ? `${use} ${account}` : account
}

/** Limits the memory of an isolate's requests: bodies count until the response, answers until they are read. */
export function createRequestMemory({ createBudget }: Memory) {
  const waitMs = MAX_WAIT_MS
  const bodyBudget = createBudget({
    name: 'bodies',
    size: 72_000_000,
    share: 24_000_000,
    idleMs: BODY_HELD_MS,
    waitMs,
  })
  const answerBudget = createBudget({
    name: 'answers',
    size: 64_000_000,
    share: 16_000_000,
    idleMs: ANSWER_HELD_MS,
    waitMs,
  })

  class RequestMemory implements BodyMemory, AnswerMemory {
    readonly #owner: MemoryOwner
    readonly #copies: number
    #body: Reservation | undefined
    #answer: Reservation | undefined
    #users = 1
    #endWait = (): void => undefined

    constructor(owner: MemoryOwner, copies: number) {
      this.#owner = owner
      this.#copies = copies
    }

    growBody(bytes: number): Promise<boolean> {
      if (!this.#body) {
        this.#body = bodyBudget.reserve(getAccount(this.#owner))
        // If the client disconnects, the platform cancels the request and its awaits, so it would never release
        this.#owner.background(new Promise<void>((resolve) => (this.#endWait = resolve)))
      }
      return this.#body.grow(bytes)
    }

    growWholeBody(bytes: number): Promise<boolean> {
      return this.growBody(this.#copies * bytes)
    }

    /** Background work keeps the memory of the body reserved. */
    get background(): WaitUntil {
      const { background } = this.#owner
      if (!this.#body) return background
      return (work) => {
        this.#users += 1
        background(work.finally(this.release))
      }
    }

    readonly release = (): void => {
      this.#users -= 1
      if (this.#users > 0) return
      this.#body?.release()
      this.#endWait()
    }

    growAnswer(characters: number): Promise<boolean> {
      const reservation = (this.#answer ??= answerBudget.reserve(getAccount(this.#owner)))
      return reservation.grow(reservation.getBytes() + ANSWER_COPIES * characters)
    }

    /** Returns the response, and releases its memory once it has been read. */
    untilRead(response: Response): Response {
      const text = findUnreadText(response)
      if (text) {
        const reservation = this.#answer ?? answerBudget.reserve(getAccount(this.#owner))
        reservation.count(text.length)
        this.#owner.background(text.watch().then(reservation.release))
      } else this.#answer?.release()
      return response
    }
  }

  return {
    /** Whether the caller has too many unread responses to start another request. */
    isFull: (owner: MemoryOwner): boolean => answerBudget.isFull(() => getAccount(owner)),
    open: (owner: MemoryOwner, copies = CALL_COPIES): RequestMemory => new RequestMemory(owner, copies),
  }
}

/** Shared by all routes, because they share the isolate's memory. */
export const requestMemory = createRequestMemory(isolateMemory)
