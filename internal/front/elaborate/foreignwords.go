package elaborate

// In: words of SQL, pandas, Polars, R and Rust. Out: what to write for each, as foreign.go says. Where the
// language has no such thing, the help says so, and names what comes next to it.

// oneOf are the words for being one of several; noneGone those for leaving out what is missing.
var (
	oneOf    = map[string]bool{"contains": true, "includes": true, "isin": true, "is_in": true, "in_": true, "one_of": true, "has": true}
	noneGone = map[string]bool{"dropna": true, "drop_na": true, "drop_nulls": true, "dropnull": true, "compact": true, "filter_none": true}
)

const (
	noCut      = "text is not cut or put together: it is compared, and has starts_with, ends_with, contains, len, lower, upper and trim"
	noPatterns = "there are no patterns; a literal is looked for by starts_with, ends_with and contains"
	noRandom   = "nothing is random: a call gives the same whenever it runs. One of ten:\n.enumerate().filter(|(i, _)| i % 10 == 0).map(|(_, e)| e)"
	noFormat   = "times are not made text: results have them as ISO 8601, and truncate(month) is the first of a month"
	noMonths   = "months and years differ in length, and are not added; truncate(month) is the first of a month, and days are added: + 30day"
	noLabels   = "one row for each pair of keys: group by both, (a, b); a column for each key is a count or sum with a condition"
	behind     = "each with the one before, None for the first:\nlet:$v.enumerate().map(|(i, _)| $v.get(i - 1))"
	ahead      = "each with the one after, None for the last:\nlet:$v.enumerate().map(|(i, _)| $v.get(i + 1))"
	ranked     = "number the rows in their order; equals get different numbers:\n.sort($k).enumerate().map(|(i, e)| (i + 1, e))"
	counted    = "each value with how often it occurs:\n.group_by(|e| e).agg(|g| (g.key(), g.count()))"
	frequent   = "the most frequent, None of no elements:\n.group_by(|e| e).agg(|g| (g.key(), g.count())).top_k::<1>(|(_, n)| n).get(0).map(|(e, _)| e)"
	noFold     = "a group has sum, mean, count, min, max and others, each of what its closure gives; any other fold is computed of these"
	noSteps    = "a group is folded, and has no rows one after another: sort the rows by the key before group_by, and go through them with scan"
	offset     = ".enumerate().filter(|(i, _)| i >= $1).map(|(_, e)| e)"
	toNumber   = "text becomes a number where it is read: declare the field as i64 or f64, or Option<i64> if some are missing"
	toTime     = "text becomes a date where it is read: declare the field as Date or Timestamp"
)

// arrayWords are asked of arrays.
var arrayWords = map[string]string{
	"limit": ".take($1)", "head": ".take($1)", "fetch": ".take($1)", "tail": ".reverse().take($1).reverse()",
	"skip": offset, "drop": offset, "offset": offset, "slice": ".enumerate().filter(|(i, _)| i >= $1 && i < $2).map(|(_, e)| e)",
	"select": ".map($*)", "apply": ".map($*)", "transform": ".map($*)", "project": ".map($*)", "mutate": ".map($*)", "with_columns": ".map($*)", "assign": ".map($*)",
	"query": ".filter($*)", "order_by": ".sort($*)", "orderby": ".sort($*)", "sort_values": ".sort($*)", "sort_by": ".sort($*)", "sort_by_key": ".sort($*)", "arrange": ".sort($*)", "sorted": ".sort($*)",
	"unique": ".distinct($*)", "drop_duplicates": ".distinct($*)", "uniq": ".distinct($*)",
	"count_distinct": ".distinct($*).len()", "n_unique": ".distinct($*).len()", "nunique": ".distinct($*).len()", "approx_count_distinct": ".distinct($*).len()",
	"union_all": "concat($x, $1)", "concat": "concat($x, $1)", "append": "concat($x, $1)", "extend": "concat($x, $1)", "vstack": "concat($x, $1)", "chain": "concat($x, $1)", "bind_rows": "concat($x, $1)",
	"union":     "with all rows, or with each once:\nconcat($x, $1)\nor concat($x, $1).distinct()",
	"except":    "let:let others = $1.index_by(|e| e); $v.filter(|e| !others.has(e))",
	"intersect": "let:let others = $1.index_by(|e| e); $v.filter(|e| others.has(e))",
	"left_join": leftJoinWord,
	"join_left": leftJoinWord,
	"anti_join": "$1 is an index of the others, as index_by makes one:\n$x.filter(|$p| !$1.has($b))", "semi_join": "$1 is an index of the others, as index_by makes one:\n$x.filter(|$p| $1.has($b))",
	"inner_join": ".join($*)", "merge": ".join($*)",
	"right_join": "join the other way round, with an index of these rows", "full_join": "there is none: join from one side, and add the rows of the other that has finds no partner for", "outer_join": "there is none: join from one side, and add the rows of the other that has finds no partner for", "cross_join": "map in map gives every pair:\n$x.map(|a| $1.map(|b| (a, b))).flatten()",
	"lag": behind, "shift": behind, "lead": ahead, "previous": behind, "prev": behind,
	"diff": ".window::<2>().map(|w| w[1] - w[0])", "pct_change": ".window::<2>().map(|w| w[1] / w[0] - 1.0)", "pairwise": ".window::<2>()",
	"cumsum": ".scan($0, |a, e| a + e)", "cum_sum": ".scan($0, |a, e| a + e)", "running_sum": ".scan($0, |a, e| a + e)", "accumulate": ".scan($0, |a, e| a + e)", "running_total": ".scan($0, |a, e| a + e)",
	"cummax": "let:$v.scan($v.min(), |a, e| a.max(e))", "cum_max": "let:$v.scan($v.min(), |a, e| a.max(e))", "cummin": "let:$v.scan($v.max(), |a, e| a.min(e))", "cum_min": "let:$v.scan($v.max(), |a, e| a.min(e))",
	"rank": ranked, "row_number": ".enumerate().map(|(i, e)| (i + 1, e))", "dense_rank": ranked, "argsort": ".enumerate().sort(|(_, e)| e).map(|(i, _)| i as i64)",
	"rolling": "one for each whole window:\n.window::<$1>().map(|w| w.$f())", "rolling_mean": ".window::<$1>().map(|w| w.mean())", "rolling_sum": ".window::<$1>().map(|w| w.sum())", "moving_average": ".window::<$1>().map(|w| w.mean())", "windows": ".window::<$t>()", "chunks": ".chunk::<$t>()",
	"is_empty": "op:$x.len() == 0", "empty": "op:$x.len() == 0", "size": ".len()", "length": ".len()", "nrow": ".len()", "height": ".len()",
	"sample": noRandom, "shuffle": noRandom, "tablesample": noRandom,
	"bottom_k": ".sort($k).take($t)", "nsmallest": ".sort($k).take($1)", "nlargest": ".top_k::<$1>($k)", "top": ".top_k::<$1>($k)",
	"first": ".get(0)", "last": "let:$v.get($v.len() - 1)", "nth": ".get($1)",
	"flat_map": ".map($*).flatten()", "take_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| going).map(|(e, _)| e)", "skip_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| !going).map(|(e, _)| e)",
	"drop_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| !going).map(|(e, _)| e)",
	"max_by":     "the row with the greatest key:\nlet:$v[$v.argmax($*)]", "min_by": "the row with the least key:\nlet:$v[$v.argmin($*)]", "sum_by": ".sum($*)",
	"idxmax": ".argmax($*)", "idxmin": ".argmin($*)", "mode": frequent,
	"value_counts": counted, "counts": counted, "counter": counted, "groupby": ".group_by($*)", "partition_by": ".group_by($*)",
	"avg": ".mean($*)", "average": ".mean($*)", "percentile": ".quantile($*)", "nunique_approx": ".distinct($*).len()",
	"dedup":  "keep what differs from the one before:\nlet:$v.enumerate().filter(|(i, e)| $v.get(i - 1).map(|b| b != e).or(true)).map(|(_, e)| e)",
	"pivot":  noLabels,
	"unnest": ".flatten()", "explode": ".flatten()", "fillna": ".map(|e| e.or($1))", "fill_null": ".map(|e| e.or($1))",
	"rename": "a column has another name in another record: .map(|r| Row { new: r.old })", "to_list": "leave it out: arrays are values", "collect": "leave it out: the operations give arrays already",
}

// groupWords are asked of groups, groupsWords only outside of agg, oneGroupWords only inside.
var (
	groupWords = map[string]string{
		"len": ".count()", "size": ".count()", "n": ".count()", "length": ".count()", "avg": ".mean($*)", "average": ".mean($*)",
		"nunique": ".count_distinct($*)", "n_unique": ".count_distinct($*)", "distinct": ".count_distinct($*)", "percentile": ".quantile($*)",
		"sort": "sort the rows before group_by: groups keep their order", "order_by": "sort the rows before group_by: groups keep their order",
		"any": "op:$x.count($*) > 0", "all": "op:$x.count($*) == $x.count()",
		"head": "the first rows of each group, in the order of a key, are top_k::<3>(|r| key), after group_by and without agg", "take": "the first rows of each group, in the order of a key, are top_k::<3>(|r| key), after group_by and without agg",
		"argmax": "a group has no places; its row with the greatest key is top_k::<1>(|r| key), after group_by and without agg", "argmin": "a group has no places; sort the rows by the key before group_by, and take the first() of each group",
		"flat_map": ".map($*).flatten()", "take_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| going).map(|(e, _)| e)", "skip_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| !going).map(|(e, _)| e)",
		"drop_while": "let:$v.zip($v.scan(true, |going, $p| going && ($c))).filter(|(_, going)| !going).map(|(e, _)| e)",
		"max_by":     "the row with the greatest key is top_k::<1>(|r| key), after group_by and without agg", "min_by": "sort the rows by the key before group_by, and take the first() of each group",
		"collect": "a group is folded, and is no array: top_k::<8>(|r| key) gives rows", "to_list": "a group is folded, and is no array: top_k::<8>(|r| key) gives rows",
	}
	groupsWords = map[string]string{
		"fold": noFold, "reduce": noFold, "scan": noSteps, "rolling": noSteps, "product": ".agg(|g| g.product($*))", "mode": ".agg(|g| g.mode($*))",
		"map": ".agg($*)", "apply": ".agg($*)", "aggregate": ".agg($*)", "summarize": ".agg($*)", "summarise": ".agg($*)", "select": ".agg($*)", "transform": ".agg($*)",
		"filter": "filter the rows before group_by, or what agg gives after it", "having": "filter what agg gives: .agg(|g| …).filter(|r| …)", "get": "each group gives a value: .agg(|g| …)",
	}
	oneGroupWords = map[string]string{
		"product": "of numbers above 0, in f64, which rounds:\n$x.sum(|$p| ($b as f64).ln()).exp()", "prod": "of numbers above 0, in f64, which rounds:\n$x.sum(|$p| ($b as f64).ln()).exp()",
		"fold": noFold, "reduce": noFold, "mode": "group by the key and the value, count, group by the key again, and take top_k::<1>(|(_, n)| n) of each",
		"scan": noSteps, "cumsum": noSteps, "cum_sum": noSteps, "rolling": noSteps, "window": noSteps, "lag": noSteps, "shift": noSteps, "diff": noSteps, "enumerate": noSteps, "reverse": noSteps,
		"get": "a group has no places: first() and last() are its ends", "nth": "a group has no places: first() and last() are its ends",
		"map":    "a group is folded, and is no array: top_k::<8>(|r| key), after group_by and without agg, gives rows",
		"filter": "a group is not filtered; count takes a condition, and other folds leave out what is None:\n$x.mean(|$p| if $c { Some(…) } else { None })",
	}
)

// lookupWords are asked of what index_by gives.
var lookupWords = map[string]string{
	"contains": ".has($*)", "contains_key": ".has($*)", "exists": ".has($*)", "lookup": ".get($*)", "find": ".get($*)", "loc": ".get($*)",
	"join": "the rows come first: rows.join(by, |r| key)", "map": "an index is asked with get and has, and used by join",
}

// firstWords are asked for the first element of some kind, or for where it is.
var firstWords = map[string]string{"find": "", "first_where": "", "position": ".map(|(i, _)| i)", "index_of": ".map(|(i, _)| i)", "find_index": ".map(|(i, _)| i)", "indexOf": ".map(|(i, _)| i)", "findIndex": ".map(|(i, _)| i)"}

const standsForNone = "say what stands for None:"

// optionWords are asked of Options.
var optionWords = map[string]string{
	"is_null": ".is_none()", "isnull": ".is_none()", "isna": ".is_none()", "is_na": ".is_none()", "is_nan": ".is_none()", "is_empty": ".is_none()", "is_missing": ".is_none()", "isnone": ".is_none()",
	"is_not_null": ".is_some()", "isnotnull": ".is_some()", "notnull": ".is_some()", "not_null": ".is_some()", "notna": ".is_some()", "has_value": ".is_some()", "exists": ".is_some()", "is_valid": ".is_some()",
	"fillna": ".or($1)", "fill_null": ".or($1)", "coalesce": ".or($1)", "ifnull": ".or($1)", "nvl": ".or($1)", "unwrap_or": ".or($1)", "or_else": ".or($1)", "value_or": ".or($1)",
	"unwrap": standsForNone + "\n.or($0)", "expect": standsForNone + "\n.or($0)", "value": standsForNone + "\n.or($0)", "get": standsForNone + "\n.or($0)", "unwrap_or_default": ".or($0)",
	"and_then": ".map($*)", "then": ".map($*)",
}

// textWords are asked of text.
var textWords = map[string]string{
	"is_empty": `op:$x == ""`, "empty": `op:$x == ""`, "length": ".len()", "size": ".len()", "chars": ".len()", "char_length": ".len()",
	"to_lower": ".lower()", "tolower": ".lower()", "lowercase": ".lower()", "to_lowercase": ".lower()", "lcase": ".lower()", "casefold": ".lower()",
	"strip": ".trim()", "trimmed": ".trim()", "btrim": ".trim()", "lstrip": ".trim_start()", "ltrim": ".trim_start()", "trim_left": ".trim_start()", "rstrip": ".trim_end()", "rtrim": ".trim_end()", "trim_right": ".trim_end()",
	"to_upper": ".upper()", "toupper": ".upper()", "uppercase": ".upper()", "to_uppercase": ".upper()", "ucase": ".upper()",
	"includes": ".contains($*)", "find": ".contains($*)", "instr": ".contains($*)", "has": ".contains($*)",
	"substr": noCut, "substring": noCut, "slice": noCut, "left": noCut, "right": noCut, "replace": noCut, "split": noCut, "concat": noCut, "pad": noCut, "lpad": noCut, "rpad": noCut,
	"format": noCut, "repeat": noCut, "reverse": noCut, "capitalize": noCut, "title": noCut, "get": noCut,
	"matches": noPatterns, "match": noPatterns, "regex": noPatterns, "regexp": noPatterns, "regexp_matches": noPatterns, "similar": noPatterns, "glob": noPatterns, "rlike": noPatterns,
	"parse": toNumber, "to_int": toNumber, "to_i64": toNumber, "int": toNumber, "to_number": toNumber, "to_float": toNumber, "float": toNumber, "astype": toNumber, "cast": toNumber,
	"to_date": toTime, "to_datetime": toTime, "to_timestamp": toTime, "strptime": toTime, "date": toTime, "year": toTime, "month": toTime, "day": toTime,
}

// timeWords are asked of dates and times.
var timeWords = map[string]string{
	"week": "weeks have no numbers; the Monday of each:\n.truncate(week)", "isoweek": "weeks have no numbers; the Monday of each:\n.truncate(week)", "week_of_year": "weeks have no numbers; the Monday of each:\n.truncate(week)", "weekofyear": "weeks have no numbers; the Monday of each:\n.truncate(week)",
	"dow": "Monday is 0, Sunday 6:\n.weekday()", "dayofweek": "Monday is 0, Sunday 6:\n.weekday()", "day_of_week": "Monday is 0, Sunday 6:\n.weekday()", "day_name": "Monday is 0, Sunday 6:\n.weekday()", "isodow": "op:$x.weekday() + 1", "isoweekday": "op:$x.weekday() + 1",
	"doy": ".day_of_year()", "dayofyear": ".day_of_year()", "yday": ".day_of_year()", "month_name": "January is 1:\n.month()",
	"to_date": ".date()", "as_date": ".date()", "date_trunc": ".truncate($u)", "trunc": ".truncate($u)", "floor": ".truncate($u)", "dt_truncate": ".truncate($u)",
	"format": noFormat, "strftime": noFormat, "to_string": noFormat, "to_char": noFormat, "to_str": noFormat, "isoformat": noFormat,
	"add_months": noMonths, "add_years": noMonths, "add_month": noMonths, "add_year": noMonths, "offset_by": noMonths,
	"add_days": "op:$x + $1 * 1day", "plus_days": "op:$x + $1 * 1day", "add_hours": "op:$x + $1 * 1h", "plus_hours": "op:$x + $1 * 1h", "add_minutes": "op:$x + $1 * 1min",
	"diff": "($x - $1).days()", "datediff": "($x - $1).days()", "date_diff": "($x - $1).days()", "days_since": "($x - $1).days()", "days_between": "($x - $1).days()",
	"epoch": "op:$x as i64", "timestamp": "op:$x as i64", "unix": "op:$x as i64",
}

// valueWords are asked of any scalar.
var valueWords = map[string]string{
	"is_null": "nothing is missing here: what may be missing has the type Option<T>, and is_none()", "isna": "nothing is missing here: what may be missing has the type Option<T>, and is_none()", "isnull": "nothing is missing here: what may be missing has the type Option<T>, and is_none()", "is_none": "nothing is missing here: what may be missing has the type Option<T>", "is_some": "nothing is missing here: what may be missing has the type Option<T>",
	"or": "nothing is missing here: what may be missing has the type Option<T>", "fillna": "nothing is missing here: what may be missing has the type Option<T>", "unwrap": "leave it out: nothing is missing here", "unwrap_or": "leave it out: nothing is missing here",
	"eq": "op:$x == $1", "equals": "op:$x == $1", "ne": "op:$x != $1", "lt": "op:$x < $1", "gt": "op:$x > $1",
	"pow": ".powi::<2>() or .powf(2.0)", "signum": ".sign()", "log": ".ln()",
}

// foreignMethods are asked of anything.
var foreignMethods = map[string]string{
	"into_iter": "leave it out, or write .iter()", "to_vec": "leave it out: arrays are values", "clone": "leave it out: values need no copies", "copied": "leave it out", "cloned": "leave it out",
	"push":   "to build an array, use map:\nlet y = (0..N).map(|i| …);",
	"reduce": ".fold(init, |a, e| …)", "foldl": ".fold(init, |a, e| …)", "pow": ".powi::<2>() or .powf(2.0)", "log": ".ln()", "signum": ".sign()", "pmap": ".map(|e| …)", "rev": ".reverse()",
	"between":    "op:$x >= $1 && $x <= $2",
	"step_by":    "take every s-th number of a range:\n(a..b).step(s)",
	"count_ones": "count the bits: (0..64).count(|k| x >> k & 1 == 1)", "rotate_left": "of a u64, with k from 1 to 63: x << k | x >> (64 - k)", "rotate_right": "of a u64, with k from 1 to 63: x >> k | x << (64 - k)",
	"swap": "let t = x[i]; x[i] = x[j]; x[j] = t;", "for_each": "for e in x { … }", "filter_map": ".filter(|e| …).map(|e| …)",
}
