import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readCommand } from '../../src/node/command.ts'
import { startProcess } from '../e2e/process.ts'
import { recordsOf } from '../search/registry.ts'
import { asker, describeScore, plainIn, score, setsIn } from '../search/sets.ts'
import { TRIED } from '../search/questions/tried.ts'
import { hasShared, readShared } from '../shared.ts'
import { quantile } from './load.ts'

const { values } = readCommand(
  'Measures how long a search takes inside the Durable Object, beside a look-up by key there in adjacent slots of one run, and on Linux ' +
    'what memory the server holds. The tools are those of ../shared, once for each of many services, or invented ones.',
  {
    tools: { type: 'string', default: '10000', says: 'how many tools are published' },
    times: { type: 'string', default: '20', says: 'how often each question is asked' },
    sets: {
      type: 'string',
      says: 'a folder of sets of questions: prints instead how well each is answered, beside plain BM25F',
    },
  },
)
if (values.sets !== undefined) {
  const plain = await plainIn(values.sets)
  console.log('first / within five')
  for (const { name, definitions, questions } of setsIn(values.sets)) {
    console.log(`${name}, ${definitions.length} tools, ${questions.length} questions`)
    console.log(`  ours   ${describeScore(score(questions, asker(await recordsOf(definitions))))}`)
    console.log(`  plain  ${describeScore(score(questions, plain(definitions)))}`)
  }
  process.exit()
}
const tools = Number(values.tools)
const times = Number(values.times)
const A_BATCH = 250
/** Uses only every sixth question, which is enough. */
const A_STEP = 6
const CATALOGUE = 'catalogues/oxp-definitions.json'
const VERBS = ['Get', 'List', 'Create', 'Update', 'Delete', 'Send', 'Search', 'Share']
const NOUNS =
  'Invoice Ticket Meeting Contact File Folder Message Channel Task Project Order Payment Report Campaign'.split(' ')

interface Definition {
  readonly id: string
  readonly name: string
}

/** Returns a catalog's definitions, or invented ones, repeated as often as necessary for different services. */
function definitions(): readonly Definition[] {
  const known: readonly Definition[] = hasShared(CATALOGUE) ? JSON.parse(readShared(CATALOGUE)).items : invented()
  return Array.from({ length: tools }, (_, at) => {
    const definition = known[at % known.length]
    if (!definition) throw new Error('There are no definitions')
    const service = Math.floor(at / known.length)
    if (service === 0) return definition
    const [toolkit = '', ...rest] = definition.id.split('.')
    const id = [`${toolkit}${service}`, ...rest].join('.')
    return { ...definition, id, name: `${definition.name.slice(0, 50)}_${service}` }
  })
}

function invented(): readonly Definition[] {
  return VERBS.flatMap((verb) =>
    NOUNS.map((noun) => ({
      id: `${noun}s.${verb}${noun}@1.0.0`,
      name: `${noun}s_${verb}${noun}`,
      description: `${verb}s a ${noun.toLowerCase()} of the account, by its id or by what it is about.`,
      input_schema: {
        parameters: { type: 'object', properties: { [`${noun.toLowerCase()}_id`]: { type: 'string' } } },
      },
      output_schema: {},
    })),
  )
}

const questions = hasShared(CATALOGUE)
  ? TRIED.filter((_, at) => at % A_STEP === 0).map(({ q }) => q)
  : VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb} the ${noun} of a customer`))
const args = ['--config', 'test/bench/search.toml', '--outdir', 'dist/search', '--entry', 'search-object.js']
// First, because this blocks the process from noticing that a connection was closed
const records = await recordsOf(JSON.parse(JSON.stringify(definitions())))
const server = await startProcess(['node', 'src/node/serve.ts', ...args])
const send = async (body: object) => {
  const answer = await fetch(server.url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}
/** Returns the milliseconds per operation over many, so that the round trip adds little. */
async function timed(body: object, often: number): Promise<number> {
  const from = performance.now()
  await send({ ...body, times: often })
  return (performance.now() - from) / often
}
/** Returns the current and peak memory of the workerd in a process group, in MB. */
function memoryOf(group: number | undefined) {
  const pids = existsSync('/proc/self/stat') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  const isServer = (stat: string) => stat.includes('(workerd)') && stat.split(') ')[1]?.split(' ')[2] === String(group)
  const pid = pids.find(
    (each) => existsSync(`/proc/${each}/stat`) && isServer(readFileSync(`/proc/${each}/stat`, 'utf8')),
  )
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') }
}
try {
  for (let at = 0; at < records.length; at += A_BATCH) await send({ records: records.slice(at, at + A_BATCH) })
  const key = records[Math.floor(records.length / 2)]?.id.split('@')[0]?.toLowerCase() ?? ''
  await timed({ q: questions[0] ?? '' }, times)
  const held = memoryOf(server.pid).now
  const pairs: { readonly search: number; readonly lookUp: number }[] = []
  for (const q of questions) pairs.push({ search: await timed({ q }, times), lookUp: await timed({ key }, 50 * times) })
  const searches = pairs.map(({ search }) => search)
  const ratios = pairs.map(({ search, lookUp }) => search / lookUp)
  console.log(`${records.length} tools, ${questions.length} questions, ${times} times each`)
  console.log(
    `a search: median ${quantile(searches, 0.5).toFixed(2)} ms, 95 % within ${quantile(searches, 0.95).toFixed(2)} ms`,
  )
  console.log(
    `a look-up: median ${quantile(
      pairs.map(({ lookUp }) => lookUp),
      0.5,
    ).toFixed(4)} ms`,
  )
  console.log(`ratio of adjacent slots: median ${quantile(ratios, 0.5).toFixed(0)}`)
  const memory = memoryOf(server.pid)
  console.log(`memory: ${held} MB before the searches, ${memory.now} MB behind them, ${memory.most} MB at most`)
} finally {
  await server.stop()
}
