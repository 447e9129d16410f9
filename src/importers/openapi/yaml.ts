/** Of the library what is used: all of it would come with an `import()` of its own. */
export { Composer, Lexer, LineCounter, Parser } from 'yaml'
