import type { Principal } from '../access/principal.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import { type Budget, createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import type { Codec, DecodeResult } from '../tool/codec.ts'
import { createToolRecord, type Sha256 } from '../tool/digest.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import type { Json } from '../tool/json.ts'
import { type ParseResult, encodePointerStep, type Problem, quoteList } from '../tool/problem.ts'
import type { JsonSchema, Definition, Implementation, ImplementationKind } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { assignNames } from './assign-names.ts'
import { checkImplementation, checkSchemas, checkCombinedSize } from './check-definition.ts'
import { type DecodedDocument, type DecodeDocumentOptions, decodeDocument, isToolList } from './decode-document.ts'
import { placeDocument } from './place-document.ts'
import { applyWrapper, type WrapperFields, unwrapBody } from './publication-body.ts'
import type { DefinitionDocument } from './registry.ts'
import type { DocumentSubmission, PreparedSubmission } from './submission.ts'

export interface PrepareDeps {
  readonly codecs: readonly Codec[]
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
  readonly source: Pick<ToolSource, 'findDocumentAddress' | 'hasToolkit' | 'loadCurrent' | 'loadRecord'>
}

/** Converts a document to tool records, or reports every problem. Stores nothing. Paths of problems point into `body`. */
export async function prepareDocument(
  { body, dialect, decodeOptions: defaults }: DocumentSubmission,
  deps: PrepareDeps,
  { budget: parentBudget, publisher }: { readonly budget?: Budget; readonly publisher?: Principal } = {},
): Promise<ParseResult<PreparedSubmission>> {
  const { prefix, document, wrapper, problems } = unwrapBody(body)
  const toSentPath = ({ path, message }: Problem): Problem => ({ path: `${prefix}${path}`, message })
  const budget = createBudget(DEFAULT_UNITS, parentBudget)
  const decodeOptions = { ...defaults, ...wrapper.decodeOptions, budget }

  const read = await readDocument(document, { dialect, decodeOptions, publisher }, deps)
  if (!read.ok) return { ok: false, problems: [...problems, ...read.problems.map(toSentPath)] }
  const { codec, decoded, definitions, warnings } = read.value
  const tools = addImplementations(definitions, decoded, wrapper)
  problems.push(
    ...(decoded.unpublishable ?? []).map(toSentPath),
    ...checkSchemas(decoded.schemas, codec.references, budget).map(toSentPath),
    ...checkImplementations(tools, wrapper, deps.runners),
  )
  if (problems.length > 0) return { ok: false, problems }

  const source = { document, dialect: codec.dialect }
  const sharedDocument = await createSharedDocument(tools, decoded, source, deps.sha256)
  const records = await Promise.all(
    tools.map(({ definition, sourceName, implementation }) => {
      const parts = { definition: applyWrapper(definition, wrapper), sourceName, implementation }
      return createToolRecord({ ...parts, ...source, hash: sharedDocument?.hash }, deps.sha256)
    }),
  )
  const publication = {
    records,
    schemaPaths: locateSchemas(tools, decoded, prefix, sharedDocument !== undefined),
    ...(sharedDocument ? { document: sharedDocument } : {}),
    specified: {
      implementation: wrapper.implementation !== undefined || wrapper.implementations !== undefined,
      tags: wrapper.tags !== undefined,
      guard: wrapper.guard !== undefined,
      toolkit: decodeOptions.toolkit !== undefined,
    },
    allowBreaking: false,
    toolkitDescription: shortDescription(decoded.toolkitDescription),
  }
  return {
    ok: true,
    value: {
      publication,
      implementations: new Map(
        tools.flatMap(({ implementation, implementationPath }) =>
          implementation ? [[implementation, implementationPath]] : [],
        ),
      ),
      warnings: warnings.map(toSentPath),
      ...(dialect === undefined && isToolList(document) ? { readAs: codec.dialect } : {}),
    },
  }
}

/** Decodes a document, chooses its toolkit, and assigns its tools their names here. */
async function readDocument(
  document: Json,
  options: DecodeDocumentOptions,
  { codecs, source }: PrepareDeps,
): Promise<ParseResult<DecodedDocument & Awaited<ReturnType<typeof assignNames<Definition>>>>> {
  const result = decodeDocument(document, options, codecs)
  if (!result.ok) return result
  const { codec, decoded: unplaced } = result.value
  const { itself } = unplaced
  const placedDocument = itself && (await placeDocument(document, itself.id, result.value, options, source))
  if (placedDocument?.ok === false) return placedDocument
  const decoded = placedDocument?.value ?? unplaced
  const sizeProblems = checkCombinedSize(decoded.definitions)
  if (sizeProblems.length > 0) return { ok: false, problems: [...(decoded.unpublishable ?? []), ...sizeProblems] }
  const { definitions, warnings } = await assignNames(decoded.definitions, source)
  return { ok: true, value: { codec, decoded, definitions, warnings: [...decoded.warnings, ...warnings] } }
}

/** A tool of a document under its name here, with its name in the document and its implementation. */
interface DocumentTool {
  readonly definition: Definition
  readonly sourceName: string
  readonly implementation: Implementation | undefined
  readonly implementationPath: string
}

/** Assigns each tool its own implementation (`implementations`), or else the common one (`implementation`). */
function addImplementations(
  definitions: readonly Definition[],
  decoded: DecodeResult,
  { implementation: common, implementations = {} }: WrapperFields,
): readonly DocumentTool[] {
  return definitions.map((definition, index) => {
    const sourceName = decoded.sourceNames?.[index] ?? decoded.definitions[index]?.tool ?? definition.tool
    const own = Object.hasOwn(implementations, sourceName) ? implementations[sourceName] : undefined
    const implementationPath = own ? `/implementations${encodePointerStep(sourceName)}` : '/implementation'
    return { definition, sourceName, implementation: own ?? common, implementationPath }
  })
}

function checkImplementations(
  tools: readonly DocumentTool[],
  { implementations = {} }: WrapperFields,
  runners: PrepareDeps['runners'],
): readonly Problem[] {
  const sourceNames = tools.map(({ sourceName }) => sourceName)
  const unknownNames = Object.keys(implementations).filter((name) => !sourceNames.includes(name))
  const nameList = quoteList(sourceNames.slice(0, 20))
  return [
    ...unknownNames.map((name) => ({
      path: `/implementations${encodePointerStep(name)}`,
      message: `The definition has no '${name.slice(0, 100)}': wanted one of ${nameList}`,
    })),
    ...tools.flatMap(({ definition, implementation, implementationPath }) =>
      implementation ? checkImplementation(implementation, definition, runners, implementationPath) : [],
    ),
  ]
}

/**
 * Creates the document if it defines several tools or has its own id: then it is stored once, and records refer to it by its
 * hash. Any other document is stored only in its tool's record.
 */
async function createSharedDocument(
  tools: readonly DocumentTool[],
  { itself, toolkitDescription }: DecodeResult,
  { document, dialect }: { readonly document: Json; readonly dialect: string },
  sha256: Sha256,
): Promise<DefinitionDocument | undefined> {
  if (!itself && tools.length <= 1) return undefined
  const text = JSON.stringify(document)
  return {
    dialect,
    hash: await sha256(text),
    text,
    toolkit: tools[0]?.definition.toolkit ?? '',
    tools: Object.fromEntries(tools.map(({ sourceName, definition }) => [sourceName, definition.tool])),
    toolkitDescription: shortDescription(toolkitDescription),
    ...(itself ? { itself } : {}),
  }
}

function locateSchemas(
  tools: readonly DocumentTool[],
  { schemas, parameterLists }: DecodeResult,
  prefix: string,
  isShared: boolean,
): readonly SchemaPaths[] {
  // Tools without a schema share one constant object. Then several tools match, and the path is unknown
  const findPath = (target: JsonSchema | null) => {
    const [match, ...duplicates] = schemas.filter(({ schema }) => schema === target)
    return duplicates.length > 0 ? undefined : match?.path
  }
  return tools.map(({ definition: { input, output }, sourceName }, index) => ({
    input: prefix + (parameterLists?.[index] ?? findPath(input) ?? '/input'),
    output: prefix + (findPath(output) ?? ''),
    requirements: `${prefix}/requirements`,
    ...(isShared ? { name: sourceName } : {}),
    ...(parameterLists ? { isList: true } : {}),
  }))
}
