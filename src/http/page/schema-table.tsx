import type { Child } from 'hono/jsx'
import { isJsonObject, isJsonArray, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Column } from './table.tsx'

/** The columns of a schema's rows. `describe` renders the descriptions. */
export const schemaColumns = (describe: (text: string) => Child): readonly Column<SchemaRow>[] => [
  {
    title: 'Name',
    isName: true,
    cell: ({ name, isRequired }) => (
      <>
        <code>{name}</code>
        {isRequired ? <span class="note"> required</span> : undefined}
      </>
    ),
  },
  { title: 'Type', cell: ({ type }) => type },
  {
    title: 'Description',
    isAction: true,
    cell: ({ description, rules }) =>
      description === '' && rules.length === 0 ? undefined : (
        <>
          {describe(description)}
          {rules.length === 0 ? undefined : <div class="note">{rules.join('; ')}</div>}
        </>
      ),
  },
]

const MAX_ROWS = 200
const MAX_DEPTH = 6

const CONSTRAINTS: readonly (readonly [keyword: string, words: string])[] = [
  ['const', 'always'],
  ['default', 'default'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['minimum', 'minimum'],
  ['exclusiveMinimum', 'greater than'],
  ['maximum', 'maximum'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'multiple of'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum items'],
  ['maxItems', 'maximum items'],
]

export type SchemaRow = ReturnType<typeof toSchemaRow>

/** The name is `address.city`, `items[].id`, or in a choice `payment (Card).number`. */
export function toSchemaRow(name: string, schema: Json, isRequired: boolean) {
  const keywords = isJsonObject(schema) ? schema : {}
  const description = typeof keywords.description === 'string' ? keywords.description : ''
  return { name, type: formatType(schema), isRequired, description, rules: describeConstraints(keywords) }
}

/** Lists the properties of a schema without references, including nested ones. */
export function toSchemaRows(schema: Json): readonly SchemaRow[] {
  const rows: SchemaRow[] = []
  addRows(rows, schema, '', 0)
  return rows
}

function addRows(rows: SchemaRow[], schema: Json, prefix: string, depth: number): void {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || depth > MAX_DEPTH) return
  const required = isStringArray(schema.required) ? schema.required : []
  for (const [key, property = {}] of Object.entries(schema.properties)) {
    if (rows.length >= MAX_ROWS) return
    const name = `${prefix}${key}`
    rows.push(toSchemaRow(name, property, required.includes(key)))
    addRows(rows, property, `${name}.`, depth + 1)
    if (!isJsonObject(property)) continue
    if (property.items !== undefined) addRows(rows, property.items, `${name}[].`, depth + 1)
    const choices = listChoices(property)
    const isNullable = choices.length === 2 && choices.some((choice) => formatType(choice) === 'null')
    choices.forEach((choice, index) => {
      const choiceLabel = isNullable ? '' : ` (${isJsonObject(choice) ? formatChoice(choice, index) : ''})`
      addRows(rows, choice, `${name}${choiceLabel}.`, depth + 1)
    })
  }
}

function listChoices({ anyOf, oneOf }: JsonObject): readonly Json[] {
  return isJsonArray(anyOf) ? anyOf : isJsonArray(oneOf) ? oneOf : []
}

function formatChoice({ title }: JsonObject, index: number): string {
  return typeof title === 'string' && title !== '' ? title : `choice ${index + 1}`
}

export function formatType(schema: Json): string {
  if (schema === false) return 'nothing'
  if (!isJsonObject(schema)) return 'any'
  const { type, enum: values, items } = schema
  if (isJsonArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  if (type === 'array') return items === undefined ? 'array' : `array of ${formatType(items)}`
  if (typeof type === 'string') return type
  if (isStringArray(type)) return type.join(' or ')
  const choices = listChoices(schema)
  if (choices.length > 0) return [...new Set(choices.map(formatType))].join(' or ')
  return isJsonObject(schema.properties) ? 'object' : 'any'
}

export function describeConstraints(schema: JsonObject): readonly string[] {
  return CONSTRAINTS.flatMap(([keyword, words]) => {
    const value = schema[keyword]
    if (value === undefined) return []
    return [`${words} ${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
}
