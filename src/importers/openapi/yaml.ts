/** The parts of the library that are used: an `import()` of the library itself would bring all of it. */
export { Composer, Lexer, LineCounter, Parser } from 'yaml'
