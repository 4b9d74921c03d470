/** A value that is there as JSON text already: whoever answers in text may send `json` as it is. */
export class JsonText {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }

  toJSON(): unknown {
    return JSON.parse(this.json)
  }
}
