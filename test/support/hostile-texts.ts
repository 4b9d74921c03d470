/** Codes and values that compare differently by a locale and by code points, or mean something in SQL. */
export const hostileTexts = ['a%b', 'a_b', 'é', '😀', '\uffee', "'", '\\']
export const hostileCodes = ['1', '10', '9', 'a', 'A', 'a-1', 'A-1', 'b', 'é', '😀', '\uffee', '%', '_', "it's", '\\']
export const hostileNumbers = ['10', '9', '10.0', '-1', '0', '-0', '1000000000000.5']
