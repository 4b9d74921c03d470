import { sql } from 'kysely'
import type { Sql } from '../../conditions.ts'

/**
 * CTEs, the last of which is `undone_product`: the codes of products whose later changes undo each other, so that they
 * have what they had after the request. A revert of a request that deleted and created a product again records
 * attributes, as the product is there: item by item, nothing says that the whole rows are undone.
 *
 * Each request must be reverted by one, and they must be nested like brackets: then no revert found a change of others
 * that it had to keep. `pair` is a request and its revert, `level` how many requests are not reverted yet.
 */
export const undoneProducts: Sql = sql`turn as (
      select code, request_id, min(seq) as seq, max(seq) as last_seq,
        case when count(reverts) = count(*) and min(reverts) = max(reverts) then min(reverts) end as reverts
      from later_item where kind = 'product' group by code, request_id
    ), bracket as (
      select *, (request_id = any(array_agg(reverts) over (partition by code))) is true as opens,
        lag(last_seq) over (partition by code order by seq) > seq as is_mixed
      from turn
    ), leveled as (
      select *, case when opens then request_id else reverts end as pair,
        sum(case when opens then 1 else -1 end) over (partition by code order by seq) as level
      from bracket
    ), paired as (
      select code, seq, is_mixed, count(*) over pair = 2 and count(*) filter (where opens) over pair = 1
          and sum(case when opens then level - 1 else -level end) over pair = 0 as is_undone
      from leveled window pair as (partition by code, pair)
    ), undone_product as (
      select code from paired group by code
      having bool_and(is_undone) and bool_or(is_mixed) is not true and min(seq) > (select max(seq) from own_item)
    )`
