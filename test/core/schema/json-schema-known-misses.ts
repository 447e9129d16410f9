/**
 * A case of the JSON Schema test suite (draft 2020-12, required) that an engine is known to fail, and why. Without
 * `test` it is the whole group.
 */
export interface KnownMiss {
  readonly file: string
  readonly description: string
  readonly test?: string
  readonly reason: string
}

const REMOTE = 'refers to another document, which is never fetched'
const DYNAMIC_SCOPE = 'needs a dynamic scope of several resources in one document, which publication refuses'
const META_SCHEMA = 'has a meta-schema of its own, in another document'
const AJV_DYNAMIC = 'compileSchemas refuses $dynamicRef, which Ajv resolves wrongly'
const AJV_EMBEDDED = 'Ajv fails on an embedded $id with references across it'
const AJV_ENUM = 'Ajv refuses an empty enum when compiling'
const AJV_EVALUATED = 'Ajv does not count what contains, if or nested items evaluated'
const AJV_PRECISION = 'Ajv lets a division that overflows pass once multipleOf is given a precision'
const AJV_IF = 'Ajv ignores if without then and else, its annotations too'
const AJV_PROTO = 'Ajv writes code that does not see a property of this name; publication refuses it'

/** Of `interpretSchema`. */
export const INTERPRETED: readonly KnownMiss[] = [
  {
    file: 'defs.json',
    description: 'validate definition against metaschema',
    test: 'valid definition schema',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
    test: 'An array containing non-strings is invalid',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description:
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
    test: 'An array containing non-strings is invalid',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
    test: 'The recursive part is not valid against the root',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description: 'multiple dynamic paths to the $dynamicRef keyword',
    test: 'number list with string values',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description: 'multiple dynamic paths to the $dynamicRef keyword',
    test: 'string list with number values',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description: 'after leaving a dynamic scope, it is not used by a $dynamicRef',
    test: 'string matches /$defs/thingy, but the $dynamicRef does not stop here',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description: 'after leaving a dynamic scope, it is not used by a $dynamicRef',
    test: '/then/$defs/thingy is the final stop for the $dynamicRef',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'dynamicRef.json',
    description: 'strict-tree schema, guards against misspelled properties',
    test: 'instance with correct field',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: 'tests for implementation dynamic anchor and reference link',
    test: 'correct extended schema',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$ref and $dynamicAnchor are independent of order - $defs first',
    test: 'correct extended schema',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$ref and $dynamicAnchor are independent of order - $ref first',
    test: 'correct extended schema',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$ref to $dynamicRef finds detached $dynamicAnchor',
    test: 'number is valid',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$dynamicRef avoids the root of each schema, but scopes are still registered',
    test: 'data is not sufficient for schema at second#/$defs/length',
    reason: DYNAMIC_SCOPE,
  },
  { file: 'ref.json', description: 'remote ref, containing refs itself', test: 'remote ref valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'remote ref', test: 'remote ref valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'fragment within remote ref', test: 'remote fragment valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'anchor within remote ref', test: 'remote anchor valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'ref within remote ref', test: 'ref within ref valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'base URI change', test: 'base URI change ref valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'base URI change - change folder', test: 'number is valid', reason: REMOTE },
  {
    file: 'refRemote.json',
    description: 'base URI change - change folder in subschema',
    test: 'number is valid',
    reason: REMOTE,
  },
  { file: 'refRemote.json', description: 'root ref in remote ref', test: 'string is valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'root ref in remote ref', test: 'null is valid', reason: REMOTE },
  { file: 'refRemote.json', description: 'remote ref with ref to defs', test: 'valid', reason: REMOTE },
  {
    file: 'refRemote.json',
    description: 'Location-independent identifier in remote ref',
    test: 'integer is valid',
    reason: REMOTE,
  },
  {
    file: 'refRemote.json',
    description: 'retrieved nested refs resolve relative to their URI not $id',
    test: 'string is valid',
    reason: REMOTE,
  },
  {
    file: 'refRemote.json',
    description: 'remote HTTP ref with different $id',
    test: 'string is valid',
    reason: REMOTE,
  },
  {
    file: 'refRemote.json',
    description: 'remote HTTP ref with different URN $id',
    test: 'string is valid',
    reason: REMOTE,
  },
  {
    file: 'refRemote.json',
    description: 'remote HTTP ref with nested absolute ref',
    test: 'string is valid',
    reason: REMOTE,
  },
  {
    file: 'refRemote.json',
    description: '$ref to $ref finds detached $anchor',
    test: 'number is valid',
    reason: REMOTE,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems with $dynamicRef',
    test: 'with no unevaluated items',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'unevaluatedProperties.json',
    description: 'unevaluatedProperties with $dynamicRef',
    test: 'with no unevaluated properties',
    reason: DYNAMIC_SCOPE,
  },
  {
    file: 'vocabulary.json',
    description: 'schema that uses custom metaschema with with no validation vocabulary',
    test: 'no validation: invalid number, but it still validates',
    reason: META_SCHEMA,
  },
]

/** Of `compileSchemas`, which only ever gets schemas of our own. */
export const COMPILED: readonly KnownMiss[] = [
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description: 'A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description: 'A $dynamicRef without anchor in fragment behaves identical to $ref',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description: 'An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description:
      'A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor',
    reason: AJV_DYNAMIC,
  },
  { file: 'dynamicRef.json', description: 'multiple dynamic paths to the $dynamicRef keyword', reason: AJV_DYNAMIC },
  {
    file: 'dynamicRef.json',
    description: 'after leaving a dynamic scope, it is not used by a $dynamicRef',
    reason: AJV_DYNAMIC,
  },
  { file: 'dynamicRef.json', description: 'strict-tree schema, guards against misspelled properties', reason: REMOTE },
  {
    file: 'dynamicRef.json',
    description: 'tests for implementation dynamic anchor and reference link',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$ref and $dynamicAnchor are independent of order - $defs first',
    reason: REMOTE,
  },
  {
    file: 'dynamicRef.json',
    description: '$ref and $dynamicAnchor are independent of order - $ref first',
    reason: REMOTE,
  },
  { file: 'dynamicRef.json', description: '$ref to $dynamicRef finds detached $dynamicAnchor', reason: AJV_DYNAMIC },
  { file: 'dynamicRef.json', description: '$dynamicRef points to a boolean schema', reason: AJV_DYNAMIC },
  {
    file: 'dynamicRef.json',
    description: '$dynamicRef skips over intermediate resources - direct reference',
    reason: AJV_DYNAMIC,
  },
  {
    file: 'dynamicRef.json',
    description: '$dynamicRef avoids the root of each schema, but scopes are still registered',
    reason: AJV_DYNAMIC,
  },
  { file: 'enum.json', description: 'empty enum', reason: AJV_ENUM },
  { file: 'multipleOf.json', description: 'float division = inf', reason: AJV_PRECISION },
  {
    file: 'properties.json',
    description: 'properties whose names are Javascript object property names',
    test: '__proto__ not valid',
    reason: AJV_PROTO,
  },
  { file: 'ref.json', description: 'refs with relative uris and defs', reason: AJV_EMBEDDED },
  { file: 'ref.json', description: 'relative refs with absolute uris and defs', reason: AJV_EMBEDDED },
  { file: 'ref.json', description: 'URN ref with nested pointer ref', reason: AJV_EMBEDDED },
  { file: 'refRemote.json', description: 'remote ref', reason: REMOTE },
  { file: 'refRemote.json', description: 'fragment within remote ref', reason: REMOTE },
  { file: 'refRemote.json', description: 'anchor within remote ref', reason: REMOTE },
  { file: 'refRemote.json', description: 'ref within remote ref', reason: REMOTE },
  { file: 'refRemote.json', description: 'base URI change', reason: REMOTE },
  { file: 'refRemote.json', description: 'base URI change - change folder', reason: REMOTE },
  { file: 'refRemote.json', description: 'base URI change - change folder in subschema', reason: REMOTE },
  { file: 'refRemote.json', description: 'root ref in remote ref', reason: REMOTE },
  { file: 'refRemote.json', description: 'remote ref with ref to defs', reason: REMOTE },
  { file: 'refRemote.json', description: 'Location-independent identifier in remote ref', reason: REMOTE },
  {
    file: 'refRemote.json',
    description: 'retrieved nested refs resolve relative to their URI not $id',
    reason: REMOTE,
  },
  { file: 'refRemote.json', description: 'remote HTTP ref with different $id', reason: REMOTE },
  { file: 'refRemote.json', description: 'remote HTTP ref with different URN $id', reason: REMOTE },
  { file: 'refRemote.json', description: 'remote HTTP ref with nested absolute ref', reason: REMOTE },
  { file: 'refRemote.json', description: '$ref to $ref finds detached $anchor', reason: REMOTE },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems with nested items',
    test: 'with invalid additional item',
    reason: AJV_EVALUATED,
  },
  { file: 'unevaluatedItems.json', description: 'unevaluatedItems with $dynamicRef', reason: AJV_DYNAMIC },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems depends on adjacent contains',
    test: 'contains passes, second item is not evaluated',
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems depends on multiple nested contains',
    test: '7 not evaluated, fails unevaluatedItems',
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems and contains interact to control item dependency relationship',
    test: "only b's are invalid",
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems and contains interact to control item dependency relationship',
    test: "only c's are invalid",
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems and contains interact to control item dependency relationship',
    test: "only b's and c's are invalid",
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedItems.json',
    description: 'unevaluatedItems and contains interact to control item dependency relationship',
    test: "only a's and c's are invalid",
    reason: AJV_EVALUATED,
  },
  {
    file: 'unevaluatedProperties.json',
    description: 'unevaluatedProperties with if/then/else, then not defined',
    test: 'when if is false and has unevaluated properties',
    reason: AJV_IF,
  },
  { file: 'unevaluatedProperties.json', description: 'unevaluatedProperties with $dynamicRef', reason: AJV_DYNAMIC },
  {
    file: 'vocabulary.json',
    description: 'schema that uses custom metaschema with with no validation vocabulary',
    reason: META_SCHEMA,
  },
  { file: 'vocabulary.json', description: 'ignore unrecognized optional vocabulary', reason: META_SCHEMA },
]
