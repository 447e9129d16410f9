import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** A question to a person, and the answer once it was acknowledged. */
interface Question {
  readonly id: string
  /** When a person started to approve it. */
  approvedFrom: number | undefined
  approved: boolean
  refused: boolean
  decidedAt: number
}

/** A period in which a call could have used an approval. */
interface Attempt {
  readonly from: number
  until: number
}

/** A call that a person must approve: its caller and input. */
export interface Approvable {
  readonly questions: Map<string, Question>
  readonly attempts: Attempt[]
  runs: number
}

const CALLBACK = 'https://switchboard.example/oauth/callback'
/** An approval is valid for 15 minutes by its object's clock. */
const GOOD_MS = 14 * 60_000

/** Simulates people who are asked to approve calls, and checks that each approval allows one run. */
export function createApprovers(world: World) {
  const { clock, chance } = world
  const all: Approvable[] = []

  function create(): Approvable {
    const made = { questions: new Map<string, Question>(), attempts: [], runs: 0 }
    all.push(made)
    return made
  }

  /** Records the start of a call that an approval would allow. */
  function attempt({ attempts }: Approvable): Attempt {
    const made = { from: clock.now(), until: Infinity }
    attempts.push(made)
    return made
  }

  /** Records and checks a run of the tool. */
  function ran(of: Approvable, what: string): void {
    of.runs += 1
    // A question whose refusal was acknowledged was never approved
    const given = [...of.questions.values()].filter(
      ({ approvedFrom, refused }) => approvedFrom !== undefined && !refused,
    )
    holds(of.runs <= given.length, `${what} runs ${of.runs} times, and was approved ${given.length} times`)
  }

  /** Records that an attempt, which has ended, was told to ask a person. */
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
    /** Draws a person's decision on an open question. */
    draw() {
      const [first, ...others] = open()
      const question = first && chance.oneOf([first, ...others])
      const approve = chance.happens(700)
      return async (place: Place) => question && decide(place, question, approve)
    },
  }
}

export type Approvers = ReturnType<typeof createApprovers>
