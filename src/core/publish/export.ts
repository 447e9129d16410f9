import { localReference } from '../schema/subschemas.ts'
import { afford, afterStretches, type Budget, createBudget, type GiveWay, UNITS, unitsOf } from '../tool/budget.ts'
import { weigh } from '../tool/budget.ts'
import type { Encoded } from '../tool/codec.ts'
import { isObject } from '../tool/json.ts'
import { type Checked, pointerStep, type Problem, valueAt } from '../tool/problem.ts'
import type { JsonSchema, ToolRecord } from '../tool/tool.ts'

/** Writes a definition in a dialect or a model provider's form. `name` is what the tool is exposed under. */
export type Writer = (record: ToolRecord, name: string, budget: Budget) => Encoded

export type Format = (record: ToolRecord, name: string, budget?: Budget) => Checked<Encoded>

export function bounded(form: string, write: Writer): Format {
  return (record, name, budget = createBudget()) =>
    afford(() => {
      const encoded = write(record, name, budget)
      weigh(encoded.document, budget)
      for (const { path, reason } of encoded.losses) budget.spend(unitsOf(path) + unitsOf(reason))
      return encoded
    }, `Takes too much work to write as '${form}': its parts repeat each other too often, by '$ref' or 'allOf'`)
}

const MAX_UNITS = 2_000_000

/** Whether each form of each record can be written when it is first asked for; few records have to be written to tell. */
export async function judgeExports(
  records: readonly ToolRecord[],
  formats: Iterable<Format>,
  placeOf: (index: number) => string,
  giveWay: GiveWay,
  budget?: Budget,
): Promise<readonly Problem[]> {
  const doubtful = [...records.entries()].filter(([, record]) => mostToWrite(record) > UNITS)
  if (doubtful.length === 0) return []
  const all = [...formats]
  const whole = createBudget(MAX_UNITS, budget)
  const mayGiveWay = afterStretches(() => whole.spent, giveWay)
  for (const [index, record] of doubtful) {
    for (const format of all) {
      const written = format(record, record.name, createBudget(UNITS, whole))
      if (!written.ok) {
        return written.problems.map(({ path, message }) => ({
          path: path.replace(/^\/input/, () => placeOf(index)),
          message,
        }))
      }
      await mayGiveWay()
    }
  }
  return []
}

const UNITS_OF_A_FRAME = 250
const UNITS_OF_A_FIELD = 8
const UNITS_OF_A_PART = 20
const MAX_PARTS = UNITS / UNITS_OF_A_PART
const MAX_DEPTH = 400
const JSON_TYPES = 7

/** No form of the record takes more units. Infinity where its writers have to tell: where a reference leads back, say. */
export function mostToWrite(record: ToolRecord): number {
  const { input, output, implementation: _, ...rest } = record
  const fields = createBudget(Infinity)
  weigh(rest, fields)
  const schemas = mostForSchema(input) + mostForSchema(output)
  return UNITS_OF_A_FRAME + UNITS_OF_A_FIELD * fields.spent + UNITS_OF_A_PART * schemas
}

interface Extent {
  /** All parts, with references put in place. */
  readonly units: number
  /** The longest path's. */
  readonly pathUnits: number
  /** Merges, by `$ref` or `allOf`, that lie within each other. */
  readonly merges: number
}

/** For a part that is still being measured, since something in it leads back to it, and for one that is too large. */
const UNKNOWN: Extent = { units: Infinity, pathUnits: 0, merges: 0 }

function mostForSchema(root: JsonSchema | null): number {
  const known = new Map<object, Extent>()
  const targets = new Set<unknown>()
  // The branches of a union are merged too, where it is at the root
  const isMerged = isObject(root) && ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in root)
  let branches = 0
  let depth = 0
  let parts = 0

  function extentOf(value: unknown): Extent {
    parts += 1
    if (typeof value !== 'object' || value === null)
      return { units: typeof value === 'string' ? unitsOf(value) : 1, pathUnits: 0, merges: 0 }
    const before = known.get(value)
    if (before || depth === MAX_DEPTH || parts > MAX_PARTS) return before ?? UNKNOWN
    known.set(value, UNKNOWN)
    depth += 1
    const extent = extentOfParts(value)
    depth -= 1
    known.set(value, extent)
    return extent
  }

  function extentOfParts(value: object): Extent {
    const schema: Readonly<Record<string, unknown>> = isObject(value) ? value : {}
    const { $ref, allOf, anyOf, oneOf, type, enum: values, description } = schema
    const unions = lengthOf(anyOf) + lengthOf(oneOf)
    // A form may write a schema once for each of its types, and its description once for each branch of a union
    const times = type === undefined && values !== undefined ? JSON_TYPES : Math.max(1, lengthOf(type))
    let units = 1 + (typeof description === 'string' ? unitsOf(description) * unions : 0)
    let pathUnits = 0
    let merges = 0
    const add = (part: Extent, step: string, factor = 1) => {
      const stepUnits = unitsOf(step) - 1
      units += part.units * factor + stepUnits
      pathUnits = Math.max(pathUnits, part.pathUnits + stepUnits)
      merges = Math.max(merges, part.merges)
    }
    for (const [key, each] of Object.entries(value)) {
      if (parts > MAX_PARTS) return UNKNOWN
      add(extentOf(each), pointerStep(key), key === 'properties' || key === 'items' ? 1 : times)
    }
    if (typeof $ref === 'string') add(targetOf($ref), $ref)
    if (typeof $ref === 'string' || Array.isArray(allOf)) merges += 1
    branches = Math.max(branches, lengthOf(allOf), isMerged ? unions : 0)
    return { units, pathUnits, merges }
  }

  function targetOf(reference: string): Extent {
    const steps = localReference(reference)
    // An anchor is looked for in the whole schema each time
    if (!steps || typeof steps === 'string') return UNKNOWN
    const target = valueAt(root, steps)
    targets.add(target)
    return extentOf(target)
  }

  const { units, pathUnits, merges } = extentOf(root)
  // A merge compares each branch with those before it, and a definition's name is told from those of all others
  return (units * (1 + merges) * (1 + branches) + targets.size ** 2) * (1 + pathUnits)
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}
