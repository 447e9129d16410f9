import {
  constructFromEvents,
  CORE_SCHEMA,
  type Event,
  EVENT_ID,
  intCoreTag,
  mergeTag,
  parseEvents,
  YAMLException,
} from 'js-yaml'
import type { YieldControl } from '../../core/tool/budget.ts'
import { bigInteger } from '../../core/tool/big-integers.ts'
import { isObject, MAX_DEPTH } from '../../core/tool/json.ts'
import { foreignJsonProblem } from '../shared/foreign-json.ts'

type YamlResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/** Lines and signs, twice as many as in 512 KiB of real descriptions. Each creates two values and takes a microsecond. */
const MAX_MARKS = 30_000
const MARKS = Uint8Array.from({ length: 128 }, (_, code) => Number('\n\r,:?&[{'.includes(String.fromCharCode(code))))
/** Values of a document, including those that aliases repeat. */
const MAX_VALUES = 100_000
const SCHEMA = CORE_SCHEMA.withTags(mergeTag, {
  ...intCoreTag,
  resolve: (text, isExplicit, tag) => bigInteger(text) ?? intCoreTag.resolve(text, isExplicit, tag),
})

const TOO_MANY = toProblem(`Must have at most ${MAX_MARKS} lines and signs as YAML: send it as JSON`)
const TOO_MUCH = toProblem(`Must have at most ${MAX_VALUES} values as YAML, with what aliases repeat: send it as JSON`)
const TOO_DEEP = toProblem(`Must not nest deeper than ${MAX_DEPTH} levels`)

export async function readYaml(text: string, yieldControl: YieldControl): Promise<YamlResult> {
  if (countMarks(text) > MAX_MARKS) return TOO_MANY
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH + 1 })
    await yieldControl()
    const problem = checkEvents(events, text)
    if (problem) return problem
    // The last of several equal keys counts, as in JSON
    const [value] = constructFromEvents(events, {
      source: text,
      schema: SCHEMA,
      json: true,
      maxTotalMergeKeys: MAX_VALUES,
    })
    await yieldControl()
    // Aliases may nest deeper than the text does
    const foreign = isObject(value) ? foreignJsonProblem(value) : undefined
    return foreign === undefined ? { ok: true, value } : toProblem(foreign)
  } catch (error) {
    const { reason, mark } = error instanceof YAMLException ? error : { reason: 'unreadable' }
    if (reason.includes('maxDepth')) return TOO_DEEP
    const position = mark ? ` at line ${mark.line + 1}, column ${mark.column + 1}` : ''
    return toProblem(`Is neither JSON nor YAML: ${reason.slice(0, 200)}${position}`)
  }
}

function toProblem(problem: string): YamlResult {
  return { ok: false, problem }
}

function countMarks(text: string): number {
  let marks = 0
  for (let at = 0; at < text.length; at++) marks += MARKS[text.charCodeAt(at)] ?? 0
  return marks
}

/** Counts the values that aliases repeat before they are expanded, because a few aliases can stand for gigabytes. */
function checkEvents(events: readonly Event[], text: string): YamlResult | undefined {
  const anchors = new Map<string, { firstValue: number; values?: number }>()
  const openNodes: { firstValue: number; values?: number }[] = []
  let documents = 0
  let values = 0
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const closedNode = openNodes.pop()
      if (closedNode) closedNode.values = values - closedNode.firstValue
      continue
    }
    values += 1
    if (event.type === EVENT_ID.ALIAS) {
      const anchor = anchors.get(text.slice(event.anchorStart, event.anchorEnd))
      if (anchor && anchor.values === undefined) return TOO_DEEP
      values += anchor?.values ?? 0
    } else {
      const node = { firstValue: values - 1, ...(event.type === EVENT_ID.SCALAR ? { values: 1 } : {}) }
      if (event.type !== EVENT_ID.SCALAR) openNodes.push(node)
      if (event.type === EVENT_ID.DOCUMENT) documents += 1
      else if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), node)
    }
    if (values > MAX_VALUES) return TOO_MUCH
  }
  return documents === 1
    ? undefined
    : toProblem(`Must be one YAML document, got ${documents === 0 ? 'none' : 'several'}`)
}
