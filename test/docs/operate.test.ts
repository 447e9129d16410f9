import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { load as parseYaml } from 'js-yaml'
import { encodeMetrics } from '../../src/api/calls/metrics.ts'
import { createProgram } from '../../src/cli/program.ts'
import { STATUS } from '../../src/dialects/oxp/failure.ts'
import { toAnchor } from '../../src/node/guides.ts'
import { OUTCOME_STATUS } from '../../src/http/response/failure-status.ts'
import { root } from './snippets.ts'

const read = (file: string) => readFileSync(join(root, 'src/docs', file), 'utf8')
const guide = read('operate.md')
const [alerts, dashboard] = [read('alerts.yml'), read('dashboard.json')]

it('names events that are logged', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n')
  const named = [...guide.matchAll(/"event": "([\w-]+)"/g)].map(([, event]) => event)
  expect(named.length).toBeGreaterThan(3)
  for (const event of named) expect(sources).toMatch(new RegExp(`(?:event: |\\.lines\\()'${event}'`))
})

describe('the table of outcomes', () => {
  const [, section = ''] = guide.split('## Outcomes\n')
  const [table = ''] = /^\|[^]*?(?=\n\n)/m.exec(section) ?? []
  const named = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[a-z]+(?:-[a-z]+)*/g) ?? [],
  )

  it('the table of outcomes names existing outcomes, each once', () => {
    const outcomes = named.filter((name) => name !== 'outcome')
    expect(outcomes.filter((name) => name !== 'consent-required' && !Object.hasOwn(STATUS, name))).toEqual([])
    expect(new Set(outcomes).size).toBe(outcomes.length)
  })

  it('the table of outcomes names every outcome of a call whose tool was looked up', () => {
    const ofCalls = ['forbidden', 'rate-limited', 'unavailable', 'internal', 'tool-unknown', 'requirements-missing']
    const ofTools = ['tool-disabled', 'tool-not-executable', 'tool-untrusted', 'approval-required', 'input-invalid']
    expect(named).toEqual(expect.arrayContaining([...Object.keys(OUTCOME_STATUS), ...ofCalls, ...ofTools]))
  })
})

it('names existing commands and options of the command line', () => {
  const program = createProgram(
    () => {
      throw new Error('nothing is run')
    },
    () => undefined,
  )
  const lines = [...guide.replaceAll('\n', ' ').matchAll(/`switchboard ([^`]+)`/g)].map(([, line = '']) => line)
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) {
    const [name = '', ...words] = line.split(' ')
    const command = program.commands.find((each) => each.name() === name)
    expect(command, line).toBeDefined()
    const [sub] = words
    const named = (sought: string | undefined) => command?.commands.find((each) => each.name() === sought)
    // A group lists by default
    const options = (named(sub) ?? named('list') ?? command)?.options.map(({ long }) => long)
    for (const word of words.filter((each) => each.startsWith('--'))) expect(options, line).toContain(word)
  }
})

const counted = {
  since: 0,
  calls: [{ toolkit: 'A', tool: 'B', outcome: 'success', calls: 1 }],
  durations: [{ toolkit: 'A', seconds: 1, calls: 1, atMost: [{ seconds: 1, calls: 1 }] }],
  lost: 0,
}
const metrics = encodeMetrics(counted, '1.0.0', false)
const expressionsIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, held]) =>
        (key === 'expr' || key === 'query') && typeof held === 'string' ? [held] : expressionsIn(held),
      )
const files = {
  'alerts.yml': expressionsIn(parseYaml(alerts)),
  'dashboard.json': expressionsIn(JSON.parse(dashboard)),
}

it.each(Object.entries(files))(
  'the alert rules and the dashboard use existing metrics, labels and outcomes in %s',
  (_, expressions) => {
    expect(expressions.length).toBeGreaterThan(5)
    for (const expression of expressions) {
      for (const [name] of expression.matchAll(/switchboard_\w+/g))
        expect(metrics).toMatch(new RegExp(`^${name}[{ ]`, 'm'))
      for (const [, label] of expression.matchAll(/[{,] ?(\w+)[!=]~?"|by \((?:\w+, )*(\w+)\)/g)) {
        if (label !== undefined && label !== 'job') expect(metrics).toContain(`${label}="`)
      }
      for (const [, outcomes = ''] of expression.matchAll(/outcome!?=~?"([^"]+)"/g)) {
        for (const outcome of outcomes.split('|')) expect(['success', ...Object.keys(STATUS)]).toContain(outcome)
      }
    }
  },
)

it('the alert rules and the dashboard link to sections of the guide', () => {
  const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading))
  const named = [...alerts.matchAll(/\/docs\/operate#([\w-]+)/g)].map(([, anchor]) => anchor)
  expect(named.length).toBeGreaterThan(5)
  for (const anchor of named) expect(anchors).toContain(anchor)
})
