import type { Principal } from '../../core/access/principal.ts'
import { fail } from '../../core/failure/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import { createRoom, ISOLATE_MEMORY, type Reservation, type RoomOptions, SMALL } from '../../outbound/room.ts'
import type { Slot } from '../../outbound/slots.ts'
import { findUnreadText } from '../answer/unread-text.ts'

/** Bytes of memory for a byte of a call: as it came, as text, and as the value that its tool is given. */
const COPIES = 3
/** The same for what is published: a list within a list takes more, and a text less. */
export const PUBLICATION_COPIES = 16
/** Bytes for a character of an answer, with the lines that it is made of. */
const ANSWER_COPIES = 2
/** Longer than any call. */
const HELD_MS = 330_000
/** Longer than the slowest reader takes for the largest answer. */
const READ_MS = 1_200_000
const MAX_WAIT_MS = 15_000
export const FULL = fail({ type: 'rate-limited', retry_after_ms: 5_000 })

export interface BodyMemory {
  /** Draws for bytes that have come, of `most` that may; false where there is no room in time. */
  draw(bytes: number, most: number): Promise<boolean>
  /** Draws for a whole body, before anything is made of it. */
  drawWhole(bytes: number, most: number): Promise<boolean>
}

export interface HoldAnswer {
  /** Waits until so many characters more may be answered; false where that takes too long. */
  hold(characters: number): Promise<boolean>
}

/** For bodies that are small by their limit. */
export const NO_MEMORY: BodyMemory = { draw: async () => true, drawWhole: async () => true }

export interface MemoryOwner {
  readonly principal: Principal
  readonly request: Request
  readonly background: Background
  /** A form has a share of its own: requests that are made of it draw as any others. */
  readonly use?: 'form'
}

/** Callers without a credential have a share for each address. */
function getAccount({ principal: { id, kind }, request: { headers }, use }: MemoryOwner): string {
  const account = kind === 'anonymous' ? `anonymous ${headers.get('cf-connecting-ip')}` : id
  return use ? `${use} ${account}` : account
}

/** What requests hold in an isolate: their bodies until they are answered, their answers until they are read. */
export function createRequestMemory(options: RoomOptions) {
  const { now } = options
  const bodies = createRoom({ ...options, size: 72_000_000, share: 24_000_000 }, HELD_MS)
  const answers = createRoom({ ...options, size: 64_000_000, share: 16_000_000 }, READ_MS)

  class RequestMemory implements BodyMemory, HoldAnswer {
    readonly #owner: MemoryOwner
    readonly #copies: number
    #body: Reservation | undefined
    #answer: Slot | undefined
    #characters = 0
    #users = 1
    #until = 0
    #end = (): void => undefined

    constructor(owner: MemoryOwner, copies: number) {
      this.#owner = owner
      this.#copies = copies
    }

    async draw(bytes: number, most: number): Promise<boolean> {
      this.#until = now() + MAX_WAIT_MS
      if (!this.#body) {
        const isOver = () => now() >= this.#until
        this.#body = await bodies.reserve(getAccount(this.#owner), this.#copies * most, isOver)
        // A request whose client has gone is ended with what it awaits, and would never release
        if (this.#body) this.#owner.background(new Promise<void>((end) => (this.#end = end)))
      }
      return this.#body?.grow(bytes) ?? false
    }

    drawWhole(bytes: number, most: number): Promise<boolean> {
      return this.draw(this.#copies * bytes, most)
    }

    /** What is done behind the answer holds the body too. */
    get background(): Background {
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
      this.#end()
    }

    async hold(characters: number): Promise<boolean> {
      this.#characters += characters
      if (this.#characters <= SMALL) return true
      this.#answer?.release()
      const until = now() + MAX_WAIT_MS
      const bytes = ANSWER_COPIES * this.#characters
      this.#answer = await answers.take(getAccount(this.#owner), bytes, () => now() >= until)
      return this.#answer !== undefined
    }

    /** Gives the answer, whose memory is given back once it is read. */
    untilRead(response: Response): Response {
      const text = findUnreadText(response)
      const slot = this.#answer ?? (text && answers.charge(getAccount(this.#owner), text.length))
      if (text) this.#owner.background(text.watch().then(slot?.release))
      else slot?.release()
      return response
    }
  }

  return {
    /** Nothing more is begun for who does not read. */
    isFull: (owner: MemoryOwner): boolean => answers.isFull(() => getAccount(owner)),
    open: (owner: MemoryOwner, copies = COPIES): RequestMemory => new RequestMemory(owner, copies),
  }
}

/** One for all routes of an isolate, whose memory is one. */
export const requestMemory = createRequestMemory({
  now: Date.now,
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
  memory: ISOLATE_MEMORY,
})
