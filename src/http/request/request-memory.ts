import type { Principal } from '../../core/access/principal.ts'
import { fail } from '../../core/failure/failure.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { isolateMemory, type Memory, type Reservation } from '../../outbound/memory-budget.ts'
import { findUnreadText } from '../response/unread-text.ts'

/** Bytes of memory for a byte of a call: as it came, as text, and as the value that its tool is given. */
export const CALL_COPIES = 3
/** The same for what is published: a list within a list takes more, and a text less. */
export const PUBLICATION_COPIES = 16
/** Bytes for a character of an answer, with the lines that it is made of. */
const ANSWER_COPIES = 2
/** Longer than any call. */
const BODY_HELD_MS = 330_000
/** Longer than the slowest reader takes for the largest answer. */
const ANSWER_HELD_MS = 1_200_000
const MAX_WAIT_MS = 15_000
export const MEMORY_FULL = fail({ type: 'rate-limited', retry_after_ms: 5_000 })

export interface BodyMemory {
  /** Reserves memory for the bytes received so far; false if there is none in time. */
  growBody(bytes: number): Promise<boolean>
  /** Reserves memory for the copies that are made of a whole body. */
  growWholeBody(bytes: number): Promise<boolean>
}

export interface AnswerMemory {
  /** Waits for the memory of so many more characters; false if that takes too long. */
  growAnswer(characters: number): Promise<boolean>
}

/** For bodies that are small by their limit. */
export const NO_MEMORY: BodyMemory = { growBody: async () => true, growWholeBody: async () => true }

interface MemoryOwner {
  readonly principal: Principal
  readonly request: Request
  readonly background: WaitUntil
  /** Forms have a share of their own: the requests that are made of one count as usual. */
  readonly use?: 'form'
}

/** Callers without a credential have a share for each address. */
function getAccount({ principal: { id, kind }, request: { headers }, use }: MemoryOwner): string {
  const account = kind === 'anonymous' ? `anonymous ${headers.get('cf-connecting-ip')}` : id
  return use ? `${use} ${account}` : account
}

/** What requests hold in an isolate: their bodies until they are answered, their answers until they are read. */
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
        // A request whose client has gone is ended with what it awaits, and would never release
        this.#owner.background(new Promise<void>((resolve) => (this.#endWait = resolve)))
      }
      return this.#body.grow(bytes)
    }

    growWholeBody(bytes: number): Promise<boolean> {
      return this.growBody(this.#copies * bytes)
    }

    /** Work behind the response keeps the memory of the body. */
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

    /** Returns the response, whose memory is released once it was read. */
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
    /** Whether the caller has so many unread responses that nothing more is started for it. */
    isFull: (owner: MemoryOwner): boolean => answerBudget.isFull(() => getAccount(owner)),
    open: (owner: MemoryOwner, copies = CALL_COPIES): RequestMemory => new RequestMemory(owner, copies),
  }
}

/** One for all routes of an isolate, whose memory is one. */
export const requestMemory = createRequestMemory(isolateMemory)
