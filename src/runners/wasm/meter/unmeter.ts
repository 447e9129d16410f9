import { type ByteReader, ByteWriter, ModuleError, unsigned } from './bytes.ts'
import { readInstruction } from './instructions.ts'
import { readSections, type SectionName, SECTIONS } from './sections.ts'
import { FUEL_EXPORT, START_EXPORT } from './meter.ts'

/**
 * Takes away what `meterModule` adds: a module that it made gives one that it makes the same of again. Of any other module
 * this gives bytes that mean nothing, or throws a ModuleError; so whoever wants to know whether a module was metered meters
 * what this gives, and compares.
 */
export function unmeterModule(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(module)
  const added = readAdded(sections.get('export')?.fork())
  const imports = sections.get('import')?.fork().u32() ?? 0
  const functions = sections.get('function')?.fork().u32() ?? 0
  const types = sections.get('type')?.fork().u32() ?? 0
  const bulkFunction = imports + functions - 1
  const own: Partial<Record<SectionName, (section: ByteReader) => Uint8Array>> = {
    // What is added to lists comes last: `(func (param i32) (result i32))`, and its index
    type: (section) => withoutLast(section, 5),
    function: (section) => withoutLast(section, unsigned(types - 1).length),
    global: (section) => withoutLast(section, fuelLength(section.fork())),
    export: (section) => withoutLast(section, added.length, added.count),
    code: (section) => unmeterCode(section, added.fuelGlobal, bulkFunction),
  }
  const out = new ByteWriter(module.length)
  out.write(module.subarray(0, 8))
  for (const { name, id } of SECTIONS) {
    const section = sections.get(name)
    const start = name === 'start' ? added.start : undefined
    if (!section && start === undefined) continue
    const content = start ? Uint8Array.from(start) : section && (own[name]?.(section.fork()) ?? section.rest())
    if (!content) continue
    out.write([id, ...unsigned(content.length)])
    out.write(content)
  }
  return out.bytes.slice()
}

/** What the meter exports: how many entries and bytes that is, the global with the fuel, and the function that starts it. */
function readAdded(section: ByteReader | undefined) {
  if (!section) throw new ModuleError('The module exports nothing')
  let fuelGlobal: number | undefined
  let start: readonly number[] | undefined
  let length = 0
  let count = 0
  for (let left = section.u32(); left > 0; left--) {
    const at = section.at
    const name = section.name()
    section.skip(1)
    const index = section.u32()
    if (name === FUEL_EXPORT) fuelGlobal = index
    else if (name === START_EXPORT) start = unsigned(index)
    else continue
    length += section.at - at
    count += 1
  }
  if (fuelGlobal === undefined) throw new ModuleError(`The module does not export '${FUEL_EXPORT}'`)
  return { fuelGlobal, start, length, count }
}

/** The bytes of the last global: `(global (mut i64) (i64.const …))`. */
function fuelLength(section: ByteReader): number {
  const end = section.end
  // Behind its type and the opcode stand at most ten bytes of a number, and the end
  for (let at = end - 2; at > end - 14 && at > section.at; at--) {
    const isStart = section.bytes[at - 2] === 0x7e && section.bytes[at - 1] === 1 && section.bytes[at] === 0x42
    if (isStart) return end - at + 2
  }
  throw new ModuleError('The last global of the module holds no fuel')
}

/** A list without so many bytes, of so many entries, at its end. */
function withoutLast(section: ByteReader, bytes: number, entries = 1): Uint8Array {
  const count = section.u32() - entries
  const rest = section.rest()
  if (count < 0 || bytes > rest.length) throw new ModuleError('The module ends too early')
  const out = new ByteWriter(rest.length + 5)
  out.u32(count)
  out.write(rest.subarray(0, rest.length - bytes))
  return out.bytes
}

function unmeterCode(section: ByteReader, fuelGlobal: number, bulkFunction: number): Uint8Array {
  const out = new ByteWriter(section.end - section.at)
  const count = section.u32() - 1
  if (count < 0) throw new ModuleError('The module holds no functions')
  out.u32(count)
  for (let index = 0; index < count; index++) {
    const body = unmeterBody(section.part(section.u32()), fuelGlobal, bulkFunction)
    out.u32(body.length)
    out.write(body)
  }
  return out.bytes
}

/** What comes after `global.get` of the fuel where it is taken, and where it is looked at (`code.ts`). */
const SUBTRACT = 0x7d
const CHECK = [0x53, 0x04, 0x40, 0x00, 0x0b]

function unmeterBody(body: ByteReader, fuelGlobal: number, bulkFunction: number): Uint8Array {
  const out = new ByteWriter(body.end - body.at)
  const start = body.at
  for (let groups = body.u32(); groups > 0; groups--) {
    body.skipNumber()
    body.skipNumber()
  }
  out.copy(body.bytes, start, body.at)
  while (!body.isDone) {
    const at = body.at
    const { global, callee } = readInstruction(body)
    if (global === fuelGlobal) {
      // i64.const
      body.skip(1)
      body.skipNumber()
      if (body.byte() === SUBTRACT) {
        body.skip(1)
        body.skipNumber()
      } else body.skip(CHECK.length - 1)
    } else if (callee !== bulkFunction) out.copy(body.bytes, at, body.at)
  }
  return out.bytes
}
