!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %core = "asc.get_block_idx"() {form = "", at = "2:4"} : () -> !int
  %zero = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  %c = "py.compare"(%core, %zero) {operator = "eq", at = "4:4"} : (!int, !int) -> !bool
  "py.if"(%c) ({
    "asc.trap"() {form = "", reason = "division by zero", at = "6:4"} : () -> ()
  }, {
    ^bb0:
  }) {at = "5:4"} : (!bool) -> ()
  "py.while"() ({
    %t = "py.constant"() {value = "1", at = "11:4"} : () -> !bool
    "py.condition"(%t) {at = "12:4"} : (!bool) -> ()
  }, {
    "py.break"() {at = "14:4"} : () -> ()
  }) {at = "10:4"} : () -> ()
}) {sym_name = "keeps_effects", parameters = ["n", "m", "x"]} : () -> ()
