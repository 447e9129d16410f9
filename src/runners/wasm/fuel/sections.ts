import { ByteReader, ModuleError } from './bytes.ts'

/** In the order of a module (WebAssembly 2.0, section 5.5.2), with the most entries of each. */
export const SECTIONS = [
  { name: 'type', id: 1, most: 10_000 },
  { name: 'import', id: 2, most: 200 },
  { name: 'function', id: 3, most: 50_000 },
  { name: 'table', id: 4, most: 10 },
  { name: 'memory', id: 5, most: Infinity },
  { name: 'global', id: 6, most: 10_000 },
  { name: 'export', id: 7, most: 1_000 },
  { name: 'start', id: 8, most: Infinity },
  { name: 'element', id: 9, most: 10_000 },
  { name: 'dataCount', id: 12, most: Infinity },
  { name: 'code', id: 10, most: Infinity },
  { name: 'data', id: 11, most: 10_000 },
] as const
export type SectionName = (typeof SECTIONS)[number]['name']

const CUSTOM = 0
const MAGIC = [0x00, 0x61, 0x73, 0x6d]
const VERSION = [0x01, 0x00, 0x00, 0x00]

export function checkHeader(bytes: Uint8Array): void {
  const startsWith = (expected: readonly number[], at: number) =>
    expected.every((byte, index) => bytes[at + index] === byte)
  if (!startsWith(MAGIC, 0)) throw new ModuleError('It is not a WebAssembly module')
  if (!startsWith(VERSION, 4))
    throw new ModuleError('It is not a core module of WebAssembly: components and other versions are not supported')
}

export function readSections(bytes: Uint8Array): ReadonlyMap<SectionName, ByteReader> {
  checkHeader(bytes)
  const sections = new Map<SectionName, ByteReader>()
  const reader = new ByteReader(bytes, 8)
  while (!reader.isDone) {
    const id = reader.byte()
    const section = reader.part(reader.u32())
    if (id === CUSTOM) continue
    const knownSection = SECTIONS.find((each) => each.id === id)
    if (!knownSection) throw new ModuleError(`The module has a section of the kind ${id}, which is not supported`)
    sections.set(knownSection.name, section)
  }
  return sections
}

export function readImports(section: ByteReader | undefined): { module: string; name: string }[] {
  const imports = []
  for (let count = section?.u32() ?? 0; section && count > 0; count--) {
    const module = section.name()
    const name = section.name()
    if (section.byte() !== 0) throw new ModuleError(`The module imports '${module}.${name}', which is not a function`)
    section.skipNumber()
    imports.push({ module, name })
  }
  return imports
}

export function readExports(section: ByteReader | undefined): { names: string[]; functions: string[] } {
  const names: string[] = []
  const functions: string[] = []
  for (let count = section?.u32() ?? 0; section && count > 0; count--) {
    const name = section.name()
    const kind = section.byte()
    section.skipNumber()
    names.push(name)
    if (kind === 0) functions.push(name)
  }
  return { names, functions }
}
