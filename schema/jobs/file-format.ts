import { enumOf } from '../enumerations.ts'

export const FileFormat = enumOf('FileFormat', 'File format.', {
  csv: 'Comma-separated values with a header row; imports recognize other separators.',
  jsonl: 'JSON Lines: one object per line.',
  json: 'A JSON array of objects. Imports only.',
  xml: 'An XML feed (RSS, Atom). Imports only.',
  xlsx: 'A spreadsheet. Only `POST /v1/imports` and `catalog import` read it, and files compressed by gzip.',
})
