/**
 * A case of the JSON Schema test suite (draft 2020-12, required) that an engine is known to fail, and why. Without `test`,
 * it means the whole group.
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

/** The cases that `interpretSchema` fails. */
export const INTERPRETED = readMisses({
  [REMOTE]: {
    'defs.json': ['validate definition against metaschema > valid definition schema'],
    'dynamicRef.json': [
      'strict-tree schema, guards against misspelled properties > instance with correct field',
      'tests for implementation dynamic anchor and reference link > correct extended schema',
      '$ref and $dynamicAnchor are independent of order - $defs first > correct extended schema',
      '$ref and $dynamicAnchor are independent of order - $ref first > correct extended schema',
      '$ref to $dynamicRef finds detached $dynamicAnchor > number is valid',
    ],
    'ref.json': ['remote ref, containing refs itself > remote ref valid'],
    'refRemote.json': [
      'remote ref > remote ref valid',
      'fragment within remote ref > remote fragment valid',
      'anchor within remote ref > remote anchor valid',
      'ref within remote ref > ref within ref valid',
      'base URI change > base URI change ref valid',
      'base URI change - change folder > number is valid',
      'base URI change - change folder in subschema > number is valid',
      'root ref in remote ref > string is valid',
      'root ref in remote ref > null is valid',
      'remote ref with ref to defs > valid',
      'Location-independent identifier in remote ref > integer is valid',
      'retrieved nested refs resolve relative to their URI not $id > string is valid',
      'remote HTTP ref with different $id > string is valid',
      'remote HTTP ref with different URN $id > string is valid',
      'remote HTTP ref with nested absolute ref > string is valid',
      '$ref to $ref finds detached $anchor > number is valid',
    ],
  },
  [DYNAMIC_SCOPE]: {
    'dynamicRef.json': [
      'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated > An array containing non-strings is invalid',
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution > An array containing non-strings is invalid",
      'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope > The recursive part is not valid against the root',
      'multiple dynamic paths to the $dynamicRef keyword > number list with string values',
      'multiple dynamic paths to the $dynamicRef keyword > string list with number values',
      'after leaving a dynamic scope, it is not used by a $dynamicRef > string matches /$defs/thingy, but the $dynamicRef does not stop here',
      'after leaving a dynamic scope, it is not used by a $dynamicRef > /then/$defs/thingy is the final stop for the $dynamicRef',
      '$dynamicRef avoids the root of each schema, but scopes are still registered > data is not sufficient for schema at second#/$defs/length',
    ],
    'unevaluatedItems.json': ['unevaluatedItems with $dynamicRef > with no unevaluated items'],
    'unevaluatedProperties.json': ['unevaluatedProperties with $dynamicRef > with no unevaluated properties'],
  },
  [META_SCHEMA]: {
    'vocabulary.json': [
      'schema that uses custom metaschema with with no validation vocabulary > no validation: invalid number, but it still validates',
    ],
  },
})

/** The cases that `compileSchemas` fails, which is only used for our own schemas. */
export const COMPILED = readMisses({
  [AJV_DYNAMIC]: {
    'dynamicRef.json': [
      'A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor',
      'A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor',
      'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
      'A $dynamicRef without anchor in fragment behaves identical to $ref',
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      'An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution',
      'A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
      'A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor',
      'multiple dynamic paths to the $dynamicRef keyword',
      'after leaving a dynamic scope, it is not used by a $dynamicRef',
      '$ref to $dynamicRef finds detached $dynamicAnchor',
      '$dynamicRef points to a boolean schema',
      '$dynamicRef skips over intermediate resources - direct reference',
      '$dynamicRef avoids the root of each schema, but scopes are still registered',
    ],
    'unevaluatedItems.json': ['unevaluatedItems with $dynamicRef'],
    'unevaluatedProperties.json': ['unevaluatedProperties with $dynamicRef'],
  },
  [REMOTE]: {
    'dynamicRef.json': [
      'strict-tree schema, guards against misspelled properties',
      'tests for implementation dynamic anchor and reference link',
      '$ref and $dynamicAnchor are independent of order - $defs first',
      '$ref and $dynamicAnchor are independent of order - $ref first',
    ],
    'refRemote.json': [
      'remote ref',
      'fragment within remote ref',
      'anchor within remote ref',
      'ref within remote ref',
      'base URI change',
      'base URI change - change folder',
      'base URI change - change folder in subschema',
      'root ref in remote ref',
      'remote ref with ref to defs',
      'Location-independent identifier in remote ref',
      'retrieved nested refs resolve relative to their URI not $id',
      'remote HTTP ref with different $id',
      'remote HTTP ref with different URN $id',
      'remote HTTP ref with nested absolute ref',
      '$ref to $ref finds detached $anchor',
    ],
  },
  [AJV_ENUM]: { 'enum.json': ['empty enum'] },
  [AJV_PRECISION]: { 'multipleOf.json': ['float division = inf'] },
  [AJV_PROTO]: {
    'properties.json': ['properties whose names are Javascript object property names > __proto__ not valid'],
  },
  [AJV_EMBEDDED]: {
    'ref.json': [
      'refs with relative uris and defs',
      'relative refs with absolute uris and defs',
      'URN ref with nested pointer ref',
    ],
  },
  [AJV_EVALUATED]: {
    'unevaluatedItems.json': [
      'unevaluatedItems with nested items > with invalid additional item',
      'unevaluatedItems depends on adjacent contains > contains passes, second item is not evaluated',
      'unevaluatedItems depends on multiple nested contains > 7 not evaluated, fails unevaluatedItems',
      "unevaluatedItems and contains interact to control item dependency relationship > only b's are invalid",
      "unevaluatedItems and contains interact to control item dependency relationship > only c's are invalid",
      "unevaluatedItems and contains interact to control item dependency relationship > only b's and c's are invalid",
      "unevaluatedItems and contains interact to control item dependency relationship > only a's and c's are invalid",
    ],
  },
  [AJV_IF]: {
    'unevaluatedProperties.json': [
      'unevaluatedProperties with if/then/else, then not defined > when if is false and has unevaluated properties',
    ],
  },
  [META_SCHEMA]: {
    'vocabulary.json': [
      'schema that uses custom metaschema with with no validation vocabulary',
      'ignore unrecognized optional vocabulary',
    ],
  },
})

/** Reads, by reason and file, groups ("description") and single cases ("description > test"). */
function readMisses(reasons: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): KnownMiss[] {
  return Object.entries(reasons).flatMap(([reason, files]) =>
    Object.entries(files).flatMap(([file, titles]) =>
      titles.map((title) => {
        const [description = '', test] = title.split(' > ')
        return { file, description, ...(test && { test }), reason }
      }),
    ),
  )
}
