import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** What a person was asked, and what they said to it, once that was acknowledged. */
interface Question {
  readonly id: string
  /** When a person began to approve it. */
  approvedFrom: number | undefined
  approved: boolean
  refused: boolean
  decidedAt: number
}

/** Something that a call made while it could have used an approval. */
interface Attempt {
  readonly from: number
  until: number
}

/** A call that a person has to approve: by whom it is made, and with what. */
export interface Approvable {
  readonly questions: Map<string, Question>
  readonly attempts: Attempt[]
  runs: number
}

const CALLBACK = 'https://switchboard.example/oauth/callback'
/** An approval is good for 15 minutes, by the clock of its object. */
const GOOD_MS = 14 * 60_000

/** What people do who are asked to approve calls, and what must hold of what is approved: each approval is of one run. */
export function createApprovers(world: World) {
  const { clock, chance } = world
  const all: Approvable[] = []

  function create(): Approvable {
    const made = { questions: new Map<string, Question>(), attempts: [], runs: 0 }
    all.push(made)
    return made
  }

  /** A call begins that an approval would let run. */
  function attempt({ attempts }: Approvable): Attempt {
    const made = { from: clock.now(), until: Infinity }
    attempts.push(made)
    return made
  }

  /** The tool runs. */
  function ran(of: Approvable, what: string): void {
    of.runs += 1
    // What was refused, and acknowledged so, was never approved
    const given = [...of.questions.values()].filter(
      ({ approvedFrom, refused }) => approvedFrom !== undefined && !refused,
    )
    holds(of.runs <= given.length, `${what} runs ${of.runs} times, and was approved ${given.length} times`)
  }

  /** A call is told to ask a person, in an attempt that is over. */
  function asked({ questions, attempts }: Approvable, id: string, own: Attempt, what: string): void {
    const known = questions.get(id)
    holds(known === undefined || known.decidedAt > own.from, `${what} is asked for once more by what was decided`)
    if (!known) questions.set(id, { id, approvedFrom: undefined, approved: false, refused: false, decidedAt: Infinity })
    for (const { approved, approvedFrom = Infinity, decidedAt } of questions.values()) {
      const isGood = approved && decidedAt < own.from && approvedFrom > clock.now() - GOOD_MS
      const others = attempts.filter((each) => each !== own && each.until >= approvedFrom)
      holds(!isGood || others.length > 0, `${what} was approved, and is asked for again`)
    }
  }

  async function decide({ vault }: Place, question: Question, approve: boolean): Promise<void> {
    if (approve) question.approvedFrom ??= clock.now()
    const visit = { browserCookie: 'person'.padEnd(43, '_'), callback: CALLBACK, approve }
    const ended = await vault.decide(question.id, visit)
    if (!ended.ok || !('authorization' in ended)) return
    if (approve) question.approved = true
    else question.refused = true
    question.decidedAt = clock.now()
    holds(!question.approved || !question.refused, `A call is approved, and refused`)
  }

  const open = () =>
    all.flatMap(({ questions }) => [...questions.values()].filter(({ approved, refused }) => !approved && !refused))

  return {
    create,
    attempt,
    ran,
    asked,
    decide,
    /** Somebody decides about something that they were asked. */
    draw() {
      const [first, ...others] = open()
      const question = first && chance.oneOf([first, ...others])
      const approve = chance.happens(700)
      return async (place: Place) => question && decide(place, question, approve)
    },
  }
}

export type Approvers = ReturnType<typeof createApprovers>
