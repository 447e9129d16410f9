/**
 * Adds fuel metering to a WebAssembly module, so that a call ends when its fuel runs out.
 *
 * 1. The sections are read, and their entries counted (`sections.ts`).
 * 2. The code of each function pays for its instructions (`code.ts`, `instructions.ts`).
 * 3. Memories and tables get a maximum.
 * 4. A global for the fuel and a function that charges for bulk instructions are added, each as the last of its section, so
 *    that nothing is renumbered. The fuel, the memory and the start function are exported for the host.
 * 5. The start section is left out: the host calls the start function itself, once it can read the fuel.
 */
import { type ByteReader, ByteWriter, ModuleError, text, unsigned } from './bytes.ts'
import { bulkBody, createBodyMeter, type FuelCounter } from './code.ts'
import { readExports, readImports, readSections, type SectionName, SECTIONS } from './sections.ts'

export interface MeterOptions {
  /** For one instance, including its start function. Less than 2^31. */
  readonly fuel: number
  /** 64 KiB each. */
  readonly maxPages: number
}

export type MeteredModule = ReturnType<typeof addFuelMetering> extends Generator<unknown, infer Made> ? Made : never

export const FUEL_EXPORT = '__fuel'
export const START_EXPORT = '__start'
export const MEMORY_EXPORT = '__memory'

/** In bytes. Code with many branches grows several times over. */
const MAX_METERED = 16 * 1024 * 1024
const MAX_TABLE = 100_000

/** Takes a valid module. Yields so that other work can run. Throws a ModuleError if the module is unsupported or too large. */
export function* addFuelMetering(module: Uint8Array, { fuel, maxPages }: MeterOptions) {
  const sections = readSections(module)
  const counts = new Map<SectionName, number>()
  for (const { name, most } of SECTIONS) {
    const count = sections.get(name)?.fork().u32() ?? 0
    if (count > most)
      throw new ModuleError(`The module has ${count} entries of the kind '${name}': wanted at most ${most}`)
    counts.set(name, count)
  }
  const count = (name: SectionName) => counts.get(name) ?? 0
  const imports = readImports(sections.get('import')?.fork())
  const exports = readExports(sections.get('export')?.fork())
  const reservedName = [FUEL_EXPORT, START_EXPORT, MEMORY_EXPORT].find((name) => exports.names.includes(name))
  if (reservedName !== undefined) throw new ModuleError(`The module must not export '${reservedName}'`)
  if (!sections.has('type') || !sections.has('code')) throw new ModuleError('The module holds no functions')

  const gauge: FuelCounter = {
    fuelGlobal: count('global'),
    globals: count('global'),
    imports: imports.length,
    bulkFunction: imports.length + count('function'),
  }
  const start = sections.get('start')?.fork().u32()
  const budget = new ByteWriter()
  budget.signed(fuel)
  const fuelGlobal = [0x7e, 1, 0x42, ...budget.bytes, 0x0b]
  const addedExports = [[...text(FUEL_EXPORT), 3, ...unsigned(gauge.fuelGlobal)]]
  if (count('memory') > 0) addedExports.push([...text(MEMORY_EXPORT), 2, 0])
  if (start !== undefined) addedExports.push([...text(START_EXPORT), 0, ...unsigned(start)])
  const code = yield* meterCode(sections.get('code')?.fork(), gauge)
  const rewritten: Partial<Record<SectionName, (section: ByteReader | undefined) => Uint8Array>> = {
    type: (section) => appended(section, [[0x60, 1, 0x7f, 1, 0x7f]]),
    function: (section) => appended(section, [unsigned(count('type'))]),
    table: (section) => bounded(section, MAX_TABLE, 'table'),
    memory: (section) => bounded(section, maxPages, 'memory'),
    global: (section) => appended(section, [fuelGlobal]),
    export: (section) => appended(section, addedExports),
    code: () => code,
  }
  const out = new ByteWriter(2 * module.length)
  out.write(module.subarray(0, 8))
  for (const { name, id } of SECTIONS) {
    const section = sections.get(name)
    if (!section && name !== 'global' && name !== 'export') continue
    if (name === 'start') continue
    const content = rewritten[name]?.(section?.fork()) ?? section?.rest() ?? new Uint8Array()
    out.write([id, ...unsigned(content.length)])
    out.write(content)
  }
  return { bytes: out.bytes.slice(), imports, functions: exports.functions }
}

function appended(section: ByteReader | undefined, entries: readonly (readonly number[])[]): Uint8Array {
  const out = new ByteWriter()
  out.u32((section?.u32() ?? 0) + entries.length)
  if (section) out.write(section.rest())
  for (const entry of entries) out.write(entry)
  return out.bytes
}

/** Limits of tables or memories (WebAssembly 2.0, sections 5.3.8 to 5.3.10). */
function bounded(section: ByteReader | undefined, most: number, what: 'memory' | 'table'): Uint8Array {
  const out = new ByteWriter()
  const count = section?.u32() ?? 0
  if (what === 'memory' && count > 1) throw new ModuleError('The module has more than one memory')
  out.u32(count)
  for (let index = 0; section && index < count; index++) {
    if (what === 'table') {
      const type = section.byte()
      if (type !== 0x70 && type !== 0x6f) throw new ModuleError('The module has a table of an unsupported type')
      out.write([type])
    }
    const flags = section.byte()
    if (flags > 1) throw new ModuleError(`The module has a shared or 64-bit ${what}, which is not supported`)
    const least = section.u32()
    const greatest = flags === 1 ? section.u32() : most
    if (least > most) {
      const unit = what === 'memory' ? 'pages of 64 KiB' : 'entries'
      throw new ModuleError(`The module's ${what} starts with ${least} ${unit}: wanted at most ${most}`)
    }
    out.write([1, ...unsigned(least), ...unsigned(Math.min(greatest, most))])
  }
  return out.bytes
}

function* meterCode(section: ByteReader | undefined, gauge: FuelCounter): Generator<undefined, Uint8Array> {
  const out = new ByteWriter(2 * (section ? section.end - section.at : 0) + 64)
  const meterBody = createBodyMeter(gauge)
  const count = section?.u32() ?? 0
  out.u32(count + 1)
  for (let index = 0; section && index < count; index++) {
    const body = yield* meterBody(section.part(section.u32()))
    out.u32(body.length)
    out.write(body)
    if (out.length > MAX_METERED) throw new ModuleError(`The module is larger than ${MAX_METERED} bytes when metered`)
  }
  const bulk = bulkBody(gauge)
  out.u32(bulk.length)
  out.write(bulk)
  return out.bytes
}
